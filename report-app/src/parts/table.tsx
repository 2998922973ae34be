// A table that sorts, filters and pages: TanStack's core, drawn by us. Below 760 px each row is a block with labelled figures.
import {createTable, functionalUpdate, getCoreRowModel, getPaginationRowModel, getSortedRowModel, type ColumnDef, type TableState} from '@tanstack/table-core';
import {Fragment, type ComponentChildren} from 'preact';
import {useMemo, useState} from 'preact/hooks';
import {plural} from '../units';

export interface Column<Row> {
  id: string;
  title: string;
  cell: (row: Row) => ComponentChildren;
  value?: (row: Row) => number | string | null | undefined; // to sort by; without it the column doesn't sort
  look?: 'number' | 'graph' | 'main';
}

interface TableProps<Row> {
  label: string;
  rows: Row[];
  columns: Column<Row>[];
  rowKey: (row: Row) => string;
  sortBy: string;
  sortUp?: boolean;
  words?: (row: Row) => string; // what the filter looks through; without it there is no filter
  filterHint?: string;
  empty: ComponentChildren;
  detail?: (row: Row) => ComponentChildren;
  detailTitle?: (row: Row) => string;
  pageSize?: number;
}

// The rows that contain the filter's text. Each row's words are computed once; TanStack's own filter would compute them per column.
function useFiltered<Row>(rows: Row[], words: ((row: Row) => string) | undefined, filter: string): Row[] {
  const told = useMemo(() => new Map<Row, string>(), [rows]);
  return useMemo(() => {
    if (filter === '' || !words) return rows;
    const wanted = filter.toLowerCase();
    return rows.filter((row) => {
      let text = told.get(row);
      if (text === undefined) told.set(row, (text = words(row).toLowerCase()));
      return text.includes(wanted);
    });
  }, [rows, filter]);
}

function useTable<Row>(props: TableProps<Row>) {
  const [state, setState] = useState<Partial<TableState>>(() => ({
    sorting: [{id: props.sortBy, desc: !props.sortUp}],
    pagination: {pageIndex: 0, pageSize: props.pageSize ?? 25},
    columnPinning: {left: [], right: []},
  }));
  const desc = state.sorting?.[0]?.desc ?? false;
  const definitions = useMemo<ColumnDef<Row, unknown>[]>(
    () =>
      props.columns.map((column) => ({
        id: column.id,
        accessorFn: column.value ?? (() => null),
        enableSorting: column.value !== undefined,
        sortDescFirst: column.look === 'number',
        sortUndefined: false as const,
        sortingFn: (a, b, id) => compare(a.getValue(id), b.getValue(id), desc),
      })),
    [props.columns, desc],
  );
  const [table] = useState(() =>
    createTable<Row>({
      data: props.rows,
      columns: definitions,
      state: {},
      onStateChange: () => {},
      renderFallbackValue: null,
      getCoreRowModel: getCoreRowModel(),
      getSortedRowModel: getSortedRowModel(),
      getPaginationRowModel: getPaginationRowModel(),
      getRowId: (row) => props.rowKey(row),
      autoResetPageIndex: false,
    }),
  );
  table.setOptions((known) => ({
    ...known,
    data: props.rows,
    columns: definitions,
    state: {...table.initialState, ...state},
    onStateChange: (updater) => setState((old) => functionalUpdate(updater, {...table.initialState, ...old} as TableState)),
  }));
  return table;
}

const texts = new Intl.Collator('en', {numeric: true}); // made once: localeCompare makes one for every pair

// Values that were not measured come last, whichever way: the caller turns the order around where it is to descend.
function compare(a: unknown, b: unknown, desc: boolean): number {
  const none = [a, b].map((value) => value === null || value === undefined);
  if (a === b || (none[0] && none[1])) return 0;
  if (none[0] || none[1]) return none[0] === desc ? -1 : 1;
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return texts.compare(String(a), String(b));
}

export function DataTable<Row>(props: TableProps<Row>) {
  const [filter, setFilter] = useState('');
  const rows = useFiltered(props.rows, props.words, filter);
  const table = useTable({...props, rows});
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const {sorting, pagination} = table.getState();
  const matching = rows.length;
  const pages = Math.max(1, Math.ceil(matching / pagination.pageSize));
  const pageIndex = Math.min(pagination.pageIndex, pages - 1);
  if (pageIndex !== pagination.pageIndex) table.setPageIndex(pageIndex);
  const sort = sorting[0];
  const toggle = (key: string) => {
    const next = new Set(open);
    if (!next.delete(key)) next.add(key);
    setOpen(next);
  };
  if (props.rows.length === 0) return <p class="empty">{props.empty}</p>;
  const columns = props.columns;
  const sortable = columns.filter((column) => column.value);
  return (
    <div class="table">
      {(props.words || sortable.length > 1) && (
        <div class={props.words ? 'tools' : 'tools narrow-only'}>
          {props.words && (
            <label class="search">
              <span class="unseen">Filter {props.label}</span>
              <input
                type="search"
                placeholder={props.filterHint ?? 'Filter'}
                value={filter}
                onInput={(event) => {
                  setFilter(event.currentTarget.value);
                  table.setPageIndex(0);
                }}
              />
            </label>
          )}
          <label class="narrow-only">
            Sort by{' '}
            <select
              value={sort?.id}
              onChange={(event) => {
                const id = event.currentTarget.value;
                table.setSorting([{id, desc: columns.find((column) => column.id === id)?.look === 'number'}]);
              }}
            >
              {sortable.map((column) => (
                <option value={column.id}>{column.title}</option>
              ))}
            </select>
          </label>
          <span class="note" role="status">
            {matching === props.rows.length ? plural(matching, 'row') : `${matching} of ${plural(props.rows.length, 'row')}`}
          </span>
        </div>
      )}
      {matching === 0 ? (
        <p class="empty">
          Nothing matches.{' '}
          <button type="button" class="plain" onClick={() => setFilter('')}>
            Clear the filter
          </button>
        </p>
      ) : (
        <table aria-label={props.label}>
          <thead>
            <tr>
              {props.detail && (
                <th class="opener">
                  <span class="unseen">Details</span>
                </th>
              )}
              {columns.map((column) => (
                <th
                  scope="col"
                  class={`${column.look ?? ''} column-${column.id}`}
                  aria-sort={sort?.id === column.id ? (sort.desc ? 'descending' : 'ascending') : undefined}
                >
                  {column.value ? (
                    <button
                      type="button"
                      onClick={() => table.setSorting([{id: column.id, desc: sort?.id === column.id ? !sort.desc : column.look === 'number'}])}
                    >
                      {column.title}
                      <span class="arrow" aria-hidden="true">
                        {sort?.id === column.id ? (sort.desc ? '↓' : '↑') : ''}
                      </span>
                    </button>
                  ) : (
                    <span class={column.look === 'graph' ? 'unseen' : ''}>{column.title}</span>
                  )}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {table.getRowModel().rows.map((row) => {
              const isOpen = open.has(row.id);
              return (
                <Fragment key={row.id}>
                  <tr class={isOpen ? 'open' : ''}>
                    {props.detail && (
                      <td class="opener">
                        <button
                          type="button"
                          aria-expanded={isOpen}
                          aria-label={`${isOpen ? 'Hide' : 'Show'} details of ${props.detailTitle?.(row.original) ?? 'this row'}`}
                          onClick={() => toggle(row.id)}
                        >
                          <span aria-hidden="true">{isOpen ? '▾' : '▸'}</span>
                        </button>
                      </td>
                    )}
                    {columns.map((column) => (
                      <td class={`${column.look ?? ''} column-${column.id}`} data-label={column.title}>
                        {column.cell(row.original)}
                      </td>
                    ))}
                  </tr>
                  {isOpen && (
                    <tr class="detail">
                      <td colSpan={columns.length + 1}>{props.detail?.(row.original)}</td>
                    </tr>
                  )}
                </Fragment>
              );
            })}
          </tbody>
        </table>
      )}
      {pages > 1 && (
        <nav class="pager" aria-label={`Pages of ${props.label}`}>
          <button type="button" disabled={pageIndex === 0} onClick={() => table.setPageIndex(pageIndex - 1)}>
            Previous
          </button>
          <span>
            Page {pageIndex + 1} of {pages}
          </span>
          <button type="button" disabled={pageIndex + 1 >= pages} onClick={() => table.setPageIndex(pageIndex + 1)}>
            Next
          </button>
        </nav>
      )}
    </div>
  );
}
