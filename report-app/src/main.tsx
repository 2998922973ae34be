// Starts the report in the page's element #sparkmemprof. In a file, the model is in #sparkmemprof-model. The tab gives the addresses of
// its model and of its style sheet. The style sheet is loaded in a shadow root, so that Spark's styles and ours don't mix.
import 'uplot/dist/uPlot.min.css';
import './style.css';
import {render} from 'preact';
import {App} from './app';
import {useReport} from './live';
import {readReport} from './model';
import {modelText} from './packed';

const UNPACKED = 'The report inside this page cannot be unpacked: the file is cut off or damaged, or the browser is older than 2023.';

// Of two runs in a file, `before` is the one to compare with.
function FileReport({text, before}: {text: string | null; before: string | null}) {
  const report = text === null ? UNPACKED : readReport(text);
  const other = before === null || before === '' ? null : readReport(before);
  const problem = typeof report === 'string' ? `${report} Make the file again: sparkmemprof report DIR -o report.html` : null;
  return (
    <App
      source={{report: typeof report === 'string' ? null : report, before: typeof other === 'string' ? null : other, problem, live: null}}
      insideSpark={false}
    />
  );
}

function ServedReport({address, past}: {address: string; past: boolean}) {
  return <App source={useReport(address, past)} insideSpark />;
}

function start(host: HTMLElement): void {
  const address = host.dataset['model'];
  if (address === undefined) {
    const texts = ['sparkmemprof-model', 'sparkmemprof-before'].map((id) => modelText(document.getElementById(id)));
    void Promise.all(texts).then(([text = null, before = null]) => {
      host.textContent = '';
      render(<FileReport text={text} before={before} />, host);
    });
    return;
  }
  const shadow = host.attachShadow({mode: 'open'});
  const sheet = document.createElement('link');
  sheet.rel = 'stylesheet';
  sheet.href = host.dataset['style'] ?? '';
  const inside = document.createElement('div');
  inside.className = 'sparkmemprof';
  const show = () => render(<ServedReport address={address} past={host.dataset['past'] !== undefined} />, inside);
  sheet.onload = show;
  sheet.onerror = show;
  shadow.append(sheet, inside);
}

const host = document.getElementById('sparkmemprof');
if (host) start(host);
