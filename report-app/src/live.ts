// The report from a server: of a running application, requested again while the page is visible, or of one that has ended.
import {useEffect, useRef, useState} from 'preact/hooks';
import type {Source} from './app';
import {readReport, type Report} from './model';

const LEAST_PAUSE_MS = 5000;
// The driver has other work: it spends at most about a twentieth of its time on our requests.
const PAUSES_PER_ANSWER = 20;

type Answer = {report: Report; text: string} | {problem: string};

// Who serves the report: the driver while the application runs, a History Server afterwards.
async function ask(address: string, past: boolean): Promise<Answer> {
  const server = past ? 'The History Server' : 'The driver';
  let response: Response;
  try {
    response = await fetch(address, {cache: 'no-store', credentials: 'same-origin'});
  } catch {
    if (past) return {problem: 'The History Server no longer answers. Reload the page when it does.'};
    return {
      problem:
        'The driver no longer answers. If the application has ended, its report is a file in the folder that spark.memprof.report.dir names; if it runs, this page goes on by itself.',
    };
  }
  if (response.status === 401 || response.status === 403) {
    return {
      problem: `${server} refused the report (${response.status}). Whoever may see Spark’s own pages may see it: ask for view rights (spark.ui.view.acls).`,
    };
  }
  if (!response.ok) return {problem: `${server} answered ${response.status}: ${(await response.text()).trim().slice(0, 300)}`};
  const text = await response.text();
  const report = readReport(text);
  return typeof report === 'string' ? {problem: `${report} Reload the page.`} : {report, text};
}

/** `past`: the application has ended, or its event log was read: the report doesn't change, so it is requested once. */
export function useReport(address: string, past: boolean): Source {
  const [source, setSource] = useState<{report: Report | null; problem: string | null}>({report: null, problem: null});
  const [paused, setPaused] = useState(false);
  const known = useRef(source);
  known.current = source;
  useEffect(() => {
    if (paused) return;
    let timer = 0;
    let over = false;
    let shown = '';
    const look = async () => {
      if (document.hidden) {
        timer = window.setTimeout(() => void look(), LEAST_PAUSE_MS);
        return;
      }
      const began = performance.now();
      const answer = await ask(address, past);
      if (over) return;
      if ('report' in answer) {
        // If nothing is new, the page stays as it is, with the reader's zoom.
        if (answer.text !== shown || known.current.problem) setSource({report: answer.report, problem: null});
        shown = answer.text;
      } else setSource({report: known.current.report, problem: answer.problem});
      if (past || ('report' in answer && !answer.report.unfinished)) return;
      timer = window.setTimeout(() => void look(), Math.max(LEAST_PAUSE_MS, PAUSES_PER_ANSWER * (performance.now() - began)));
    };
    void look();
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [address, past, paused]);
  return {...source, live: past ? null : {paused, pause: () => setPaused(!paused)}};
}
