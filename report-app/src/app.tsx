// The frame around the pages: the application's name, the navigation, light or dark.
import type {ComponentChildren} from 'preact';
import {useEffect, useRef} from 'preact/hooks';
import {allDeaths} from './digest';
import {Running} from './ending';
import type {Report} from './model';
import {AboutPage} from './pages/about';
import {DeathsPage} from './pages/deaths';
import {DriverPage} from './pages/driver';
import {ExecutorPage, ExecutorsPage} from './pages/executors';
import {FlamePage} from './pages/flame';
import {LinesPage} from './pages/lines';
import {StagePage, StagesPage} from './pages/stages';
import {SummaryPage} from './pages/summary';
import {link, useRoute, type Route} from './route';
import {useTheme, type Theme} from './theme';
import {executorTitle, stageTitleOfKey} from './titles';
import {formatDuration, formatTime} from './units';

export interface Source {
  report: Report | null;
  before?: Report | null; // a run to compare with
  problem: string | null; // a sentence on what went wrong and what to do
  live: {paused: boolean; pause: () => void} | null; // null: a file, or an application that is over
}

const PAGES: [string, string][] = [
  ['', 'Summary'],
  ['executors', 'Executors'],
  ['stages', 'Stages'],
  ['lines', 'UDFs and lines'],
  ['flame', 'Flame graph'],
  ['driver', 'Driver'],
  ['deaths', 'Post-mortems'],
  ['about', 'About the numbers'],
];

function titleOf(route: Route): string {
  if (route.id !== null && route.page === 'executors') return executorTitle(route.id);
  if (route.id !== null && route.page === 'stages') return stageTitleOfKey(route.id);
  return PAGES.find(([page]) => page === route.page)?.[1] ?? 'No such page';
}

function Page({report, before, route, theme}: {report: Report; before: Report | null; route: Route; theme: Theme}) {
  switch (route.page) {
    case '':
      return <SummaryPage report={report} />;
    case 'executors':
      return route.id === null ? <ExecutorsPage report={report} /> : <ExecutorPage report={report} id={route.id} theme={theme} key={route.id} />;
    case 'stages':
      return route.id === null ? <StagesPage report={report} theme={theme} /> : <StagePage report={report} id={route.id} key={route.id} />;
    case 'lines':
      return <LinesPage report={report} />;
    case 'flame':
      return <FlamePage report={report} before={before} route={route} />;
    case 'driver':
      return <DriverPage report={report} />;
    case 'deaths':
      return <DeathsPage report={report} />;
    case 'about':
      return <AboutPage report={report} />;
    default:
      return (
        <p class="empty">
          There is no page of that name. <a href={link('')}>Summary</a>
        </p>
      );
  }
}

function Facts({report}: {report: Report}) {
  const {id, sparkVersion, pythonVersion, master, startedMs, endedMs} = report.application;
  const facts = [
    id,
    sparkVersion && `Spark ${sparkVersion}`,
    pythonVersion && `Python ${pythonVersion}`,
    master,
    startedMs != null && formatTime(startedMs),
    startedMs != null && endedMs != null && formatDuration(endedMs - startedMs),
  ].filter((fact): fact is string => Boolean(fact));
  return (
    <p class="facts">
      {facts.map((fact) => (
        <span>{fact}</span>
      ))}
    </p>
  );
}

function Banner({source}: {source: Source}): ComponentChildren {
  if (source.problem) {
    return (
      <p class="banner" role="alert">
        {source.problem}
      </p>
    );
  }
  if (!source.report?.unfinished) return null;
  if (!source.live) return <p class="banner">Unfinished: this was known when it was written, before the application’s end.</p>;
  return (
    <p class="banner calm">
      {source.live.paused ? 'Paused: figures are those of the last look. ' : 'The application is running: figures still grow. '}
      <button type="button" class="plain" onClick={source.live.pause}>
        {source.live.paused ? 'Go on' : 'Pause'}
      </button>
    </p>
  );
}

export function App({source, insideSpark}: {source: Source; insideSpark: boolean}) {
  const route = useRoute();
  const [theme, toggle] = useTheme(insideSpark);
  const {report} = source;
  const heading = useRef<HTMLHeadingElement>(null);
  const title = titleOf(route);
  const place = `${route.page}/${route.id ?? ''}`;
  const before = useRef(place);
  const bar = useRef<HTMLElement>(null);
  useEffect(() => {
    if (!insideSpark) document.title = `${report?.application.name ?? report?.application.id ?? 'sparkmemprof'}: ${title}`;
    bar.current?.querySelector('[aria-current]')?.scrollIntoView({block: 'nearest', inline: 'center'});
    if (before.current === place) return;
    before.current = place;
    heading.current?.focus({preventScroll: true}); // a screen reader then reads the page's title
    if (!insideSpark) scrollTo(0, 0);
  }, [place]);
  useEffect(() => {
    if (!insideSpark) document.documentElement.style.colorScheme = theme;
  }, [theme]);
  return (
    <div class={`page ${insideSpark ? 'inside-spark' : ''}`} data-theme={theme}>
      <header class="top">
        <div class="top-row">
          <p class="brand">sparkmemprof</p>
          {toggle && (
            <button type="button" class="theme" onClick={toggle} aria-label={`Change to ${theme === 'dark' ? 'light' : 'dark'} colours`}>
              {theme === 'dark' ? '☀ Light' : '☾ Dark'}
            </button>
          )}
        </div>
        {report && !insideSpark && <h1>{report.application.name ?? report.application.id ?? 'Memory report'}</h1>}
        {report && !insideSpark && <Facts report={report} />}
        <Banner source={source} />
        <nav class="pages" aria-label="Pages of the report" ref={bar}>
          {PAGES.map(([page, name]) => (
            <a href={link(page)} aria-current={route.page === page ? 'page' : undefined}>
              {name}
              {page === 'deaths' && report && report.postMortems.length > 0 && <span class="count">{allDeaths(report).length}</span>}
            </a>
          ))}
        </nav>
      </header>
      <main>
        <h2 class={route.page === '' ? 'unseen' : 'title'} tabIndex={-1} ref={heading}>
          {title}
        </h2>
        {report ? (
          <Running.Provider value={source.live !== null && source.problem === null}>
            <Page report={report} before={source.before ?? null} route={route} theme={theme} />
          </Running.Provider>
        ) : (
          !source.problem && (
            <p class="empty" role="status">
              Asking for the report…
            </p>
          )
        )}
      </main>
    </div>
  );
}
