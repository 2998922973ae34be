// Where a report ends: what is missing may still come, or never will.
import {createContext} from 'preact';
import {useContext} from 'preact/hooks';
import type {Report} from './model';

/** Whether the report is asked for again while its application runs. */
export const Running = createContext(false);

/** `cut`: the last that was written before the end of an application that may be over, such as one whose driver was killed. */
export type Ending = 'running' | 'cut' | 'whole';

export function useEnding(report: Report): Ending {
  const running = useContext(Running);
  if (!report.unfinished) return 'whole';
  return running ? 'running' : 'cut';
}
