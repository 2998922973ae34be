// Makes app.js, app.css and the script's hash for the C++ side.
//
//   node build.mjs [--out FOLDER]
//
// The script and the style sheet are put into an HTML page, so neither may contain text that would end its element. The licences of
// bundled packages go with the script, and each package must be listed in LICENSES.md.
import {build} from 'esbuild';
import {createHash} from 'node:crypto';
import {mkdirSync, readFileSync, readdirSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {gzipSync} from 'node:zlib';

const MOST_GZIPPED = 400 * 1024;
const here = dirname(fileURLToPath(import.meta.url));
const option = process.argv.indexOf('--out');
const out = option < 0 ? join(here, 'dist') : process.argv[option + 1];

const result = await build({
  entryPoints: [join(here, 'src/main.tsx')],
  bundle: true,
  minify: true,
  format: 'iife',
  target: ['es2021'],
  charset: 'utf8',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  legalComments: 'none',
  metafile: true,
  outfile: join(out, 'app.js'),
  write: false,
  logLevel: 'warning',
});
const files = Object.fromEntries(result.outputFiles.map((file) => [file.path.endsWith('.css') ? 'app.css' : 'app.js', file.contents]));

function refuse(what) {
  console.error(`report-app: ${what}`);
  process.exit(1);
}

// "MIT", "ISC"…: licences that are compatible with Apache-2.0.
const GOOD = new Set(['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0']);

function licences() {
  const listed = readFileSync(join(here, 'LICENSES.md'), 'utf8');
  const names = new Set();
  for (const path of Object.keys(result.metafile.inputs)) {
    const found = path.match(/^(?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)\//);
    if (found) names.add(found[1]);
  }
  const texts = [...names].sort().map((name) => {
    const folder = join(here, 'node_modules', name);
    const {version, license} = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    if (!GOOD.has(license)) refuse(`${name} has the licence ${license}`);
    if (!listed.includes(`| ${name} | ${version} | ${license} |`)) refuse(`LICENSES.md has no line "| ${name} | ${version} | ${license} |"`);
    const file = readdirSync(folder).find((each) => /^licen[sc]e/i.test(each));
    // Apache-2.0 is the licence of the report itself.
    const text = license === 'Apache-2.0' || !file ? `${license}` : readFileSync(join(folder, file), 'utf8').trim();
    return `${name} ${version}\n\n${text}`;
  });
  return `/*! sparkmemprof, Apache-2.0. With it come:\n\n${texts.join('\n\n').replaceAll('*/', '* /')}\n*/\n`;
}

files['app.js'] = Buffer.concat([Buffer.from(licences()), files['app.js']]);
for (const [name, contents] of Object.entries(files)) {
  const text = new TextDecoder().decode(contents);
  if (/<\/(script|style)|<!--|<script/i.test(text)) refuse(`${name} would end its own element inside a page`);
  if (name === 'app.css' && /url\(|@import/.test(text)) refuse('app.css loads something: the page must stand alone');
}
const gzipped = Object.values(files).reduce((sum, contents) => sum + gzipSync(contents, {level: 9}).length, 0);
if (gzipped > MOST_GZIPPED) refuse(`the bundle is ${gzipped} bytes gzipped, more than ${MOST_GZIPPED}`);

mkdirSync(out, {recursive: true});
for (const [name, contents] of Object.entries(files)) writeFileSync(join(out, name), contents);
// Only this script may run in the file: its hash is in the page's content security policy.
const hash = createHash('sha256').update(files['app.js']).digest('base64');
writeFileSync(join(out, 'app_hash.inc'), `"sha256-${hash}"\n`);
console.log(`report-app: app.js ${files['app.js'].length} bytes, app.css ${files['app.css'].length} bytes, ${gzipped} gzipped in all`);
