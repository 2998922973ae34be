// What we use of d3-flame-graph, which has no types of its own.
declare module 'd3-flame-graph' {
  import type {HierarchyRectangularNode} from 'd3-hierarchy';
  import type {Selection} from 'd3-selection';

  export interface FlameGraph<Datum> {
    (selection: Selection<HTMLElement, Datum, null, undefined>): void;
    width(pixels: number): this;
    cellHeight(pixels: number): this;
    transitionDuration(ms: number): this;
    minFrameSize(pixels: number): this;
    inverted(on: boolean): this;
    selfValue(on: boolean): this;
    resetHeightOnZoom(on: boolean): this;
    sort(on: boolean): this;
    label(handler: (node: HierarchyRectangularNode<Datum>) => string): this;
    getName(handler: (node: HierarchyRectangularNode<Datum>) => string): this;
    setColorMapper(handler: (node: HierarchyRectangularNode<Datum> & {highlight?: boolean}, original: string) => string): this;
    setSearchMatch(handler: (node: HierarchyRectangularNode<Datum>, term: string) => boolean): this;
    setSearchHandler(handler: (found: unknown[], sum: number, total: number) => void): this;
    onClick(handler: (node: HierarchyRectangularNode<Datum>) => void): this;
    onHover(handler: (node: HierarchyRectangularNode<Datum>) => void): this;
    search(term: string): void;
    clear(): void;
    resetZoom(): void;
    zoomTo(node: HierarchyRectangularNode<Datum>): void;
    update(): this;
    destroy(): void;
  }
  export default function flamegraph<Datum>(): FlameGraph<Datum>;
}
