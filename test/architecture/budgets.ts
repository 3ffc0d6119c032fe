import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { settingNames } from '#server/settings.ts';

/*
 * The weight of the project. `npm run check` runs this program, which fails if a count exceeds its limit. Lower a limit
 * when a count has fallen. To raise one, write into `bought` what the increase buys.
 */

interface Budget {
  name: string;
  limit: number;
  /** The target. */
  goal: number;
  /** A reason for each increase of the limit. */
  bought: readonly string[];
}

const files = execFileSync('git', ['ls-files'], { encoding: 'utf8', maxBuffer: 2 ** 26 })
  .split('\n')
  .filter((path) => existsSync(path));
const matching = (pattern: RegExp, except = /^$/) =>
  files.filter((path) => pattern.test(path) && !except.test(path));
const read = (path: string) => readFileSync(join(import.meta.dirname, '../..', path), 'utf8');
const linesOf = (paths: readonly string[]) =>
  paths.reduce((sum, path) => sum + read(path).split('\n').length - 1, 0);
const wordsOf = (paths: readonly string[]) =>
  paths.reduce((sum, path) => sum + read(path).split(/\s+/).filter(Boolean).length, 0);

const code = /\.(ts|tsx|css|mjs|js|sh|py)$/;
const sources = matching(code, /^(test|db\/migrations)\/|\.d\.ts$/);
const tests = matching(code, /^(?!test\/)/);
const guides = matching(/\.md$/, /^(web\/pages|test|docs\/gallery)\//);

const counted: (Budget & { count: number })[] = [
  {
    name: 'lines of source',
    count: linesOf(sources),
    limit: 264_200,
    goal: 165_000,
    bought: [
      '264,200: visible texts of Office files, the share that stays, own keys and placeholders, HTML in Markdown, fonts without a map, drawn letters, unchanged texts and values next to lines of PDF pages',
      '260,000: templates of ten engines, quoting of messages, foreign parts, plural forms side by side, speakers, front matter, attributes and comments, glossaries of people, other typography, taking over, and what two more attacks found',
      '256,200: credentials before inputs, weights of patterns, turns and versions of approvals, values over lines and marks, replacements, linked providers, mailed reset links, compression, upkeep of translated files, and what two attacks found',
      '252,540: blanks of other operators, spread labels, notes of music, alpha in forms, one letter spacing and look of a typeface in PDF pages',
      '252,340: justified lines by their spaces, full lines of declared paragraphs, common ends of dates, ends of lists, underlines of PDF pages, and what an attack on them found',
      '251,870: sentences of PDF pages over columns and pages, shapes of areas, stated texts of glyphs, and sentences that a file declares',
      '251,020: fields of forms that become shorter after longer labels, stretched lines of narrow columns, and price lists of PDF pages',
      '250,760: typefaces that look like those of a PDF, by their names and widths, small capitals, and sentences in two declared texts',
      '250,410: letters drawn as shapes or edges, contents entries, periods and years before entries, Arabic marks, lines without spaces, justified lines, boxes of labels, wrapped items and rules below headings of PDF pages',
      '249,970, after 640 lines less in screens, lists and unused rules of PDF pages: one size of a style on a page, serifs by outlines, unchanged texts, labels that move, and the faults that two attacks found',
      '249,880: shadows, cells of a form, listings, bullets and blanks of PDF pages that two people judged',
      '249,750, after 250,100 and repeated parts of screens: stored sums of the pay report, places of length limits, two rounds of PDF pages, headings in prompts, names of members, conflicts of settings',
      '248,900: five translation services, Anthropic, routes, own keys, personal data withheld from models, length limits, PgBouncer, general settings, new versions in estimates',
      '242,000: buckets, positions of approved tags, spelling, marks of errors, own keys, turnaround, versions of files, CSV files; packs left',
      '239,150: screens of assignments and estimates, the pay report, proofs of tag positions, contexts of TMX files',
      '233,550: assignments, analyses of files, keys and filters of the editor, context matches and penalties, inline code in the memory',
      '227,900: posting lists of look-ups stay in the process',
      '227,600: checks by members and the quality report, term candidates, fields of terms, bad and duplicate segments, alignment on a screen',
      '217,050: doubled placeholders, broken tags, lost sentences and changed units',
      '216,800: the memory by sentence, and the alignment of files',
      '213,940: changes of TM segments, their history and undo, find and replace',
      '213,000: sentences of texts with abbreviations of 25 languages, and SRX files of workspaces',
      '209,300: the demo workspace, and times with a point',
      '210,150: the model of a PDF page, and sentences of a PDF as one segment',
      '212,000: fonts of operators, divided words, places in words, print scale, one size of a style in a PDF',
      '210,950: faces by outlines, labels of a row apart, entries with dates, paragraphs around boxes, lines of headings',
    ],
  },
  {
    name: 'files of source',
    count: sources.length,
    limit: 1868,
    goal: 1400,
    bought: [
      '1,868: words in fields and attributes of Office files, columns of sheets, own keys, glyph orders, unchanged texts, prices and value rows of PDF pages',
      '1,845: readers of templates, quoting, choices, bars, speakers, front matter, attributes, directives and typography',
      '1,814: turns, pattern weights, labelled names, forgotten passwords, linked providers, compression and corrections',
      '1,801: one letter spacing of the headings of a PDF page',
      '1,800: sentences of PDF pages over columns and pages: their finding, and the division of their translations',
      '1,798: small capitals, and pairs of lines, of PDF pages',
      '1,800, after 1,912 and 113 small modules that moved to their only users: one file for each engine, kind of personal data and settings screen',
      '1,868: the same, one file for each screen or concept',
      '1,851, after 1,892 and 74 small modules that moved to their only users: screens of assignments and estimates',
      '1,860: screens of quality, candidates, alignment and duplicates, with their procedures',
      '1,815: units of numbers',
      '1,814: sentences in look-ups and learning, and alignment',
      '1,796: changes of TM segments',
      '1,793: sentences and segmentation rules',
      '1,784: fonts of operators, divided words and the print scale',
      '1,779: faces by outlines',
    ],
  },
  {
    name: 'lines of tests',
    count: linesOf(tests),
    limit: 184_700,
    goal: 100_000,
    bought: [
      '184,700: two judges that read finished files without the readers of the service, glossaries of people, own keys and placeholders, pages of PDF files by kind',
      '180,700: compiled templates of five engines, plural forms run by four libraries, strange forms of personal data, commands of operators, mutations on items, requests in turns',
      '178,500: generated tests of turns, of credentials before inputs, of proofs and of forms; forms of withheld values, corrections, exports of a filled deployment, attacks by strangers',
      '173,540: alpha, thick underlines, letter spacing, blanks, spread labels, wide line distances and notes of music in PDF texts',
      '173,300: justified lines, raised bullets, alignment, underlines, ligatures, links and short corrections of PDF texts over pages',
      '173,120: sentences of PDF pages over columns and pages, shapes, stated texts, alignment and places of labels',
      '172,520: fields, stretched lines, price lists and flags of fonts of PDF pages',
      '172,300: typefaces and small capitals of PDF texts, sentences in two declared texts, and waiting tasks',
      '171,985: letters as shapes and edges, Arabic marks, bullets, numbers, years, justified lines, labels, wrapped items and rules in PDF pages',
      '171,230: faults of PDF pages that judges saw: contacts, labels, blanks, headings and items in one element, drawn and clear letters',
      '170,720: the rules for PDF pages of a fourth sample, and the faults that two attacks found',
      '170,240: the film of the memory, PDF pages that two people judged, and the faults that two attacks found',
      '169,700: kills of a team, screens of teams and private texts in a browser, findings of two attacks, a second judge of alignment',
      '168,000: engines over their real packages, 500 letters with personal data, two hosts in namespaces, PgBouncer, the film of a project',
      '162,550: positions of approved tags, a store on S3 and its move, turnaround, spelling, keys',
      '161,260: the screens of assignments and estimates, kills of their processes, and an attack on them',
      '160,300: assignments, analyses, tools of the editor, penalties and contexts, and mends after an attack',
      '158,500: the cache of posting lists, and the ratio of an import to COPY',
      '158,400: quality, term candidates, fields of terms, clean memory, and the alignment screen',
      '155,600: a bench of the quality gate, with errors in translations by people',
      '154,500: the memory by sentence, alignment, and a bench of a manual in four languages',
      '152,930: changes of TM segments, their history and undo, find and replace',
      '153,050: sentences, with two yardsticks, and SRX files',
      '150,550: a program records the moving picture of the README',
      '150,000: the demo workspace refuses everything that is not on its list',
      '150,050: the open row of the editor stays in view, and its number is whole',
      '152,550: fonts of operators, divided words, places, print scale, sizes of a document, and labels',
      '151,900: the rules for faces, rows, stacks, columns and marks of a PDF page',
      '151,300: a yardstick for 60 pages of strangers, HTML twins, and properties of the page model',
    ],
  },
  {
    name: 'words of documentation',
    count: wordsOf(guides),
    limit: 53_870,
    goal: 50_000,
    bought: [
      '53,870: texts of Office files that are translated, own keys and placeholders, figures of fresh files',
      '53,480: what stays in templates, messages, front matter and other languages; columns of glossaries; the precision of redaction',
      '53,020, after 55,310: turns, reset links, linked providers, withheld values, and what an export can restore',
      '52,830: why rules, and not a trained model, join the lines of a PDF',
      '52,690: texts over columns and pages of PDF files',
      '52,500: typefaces of PDF texts',
      '52,450: what redaction does not find, the shared beginning of prompts, and figures of alignment',
      '55,800: what the editor, reports and exports gained',
      '55,100: platform storage in a bucket, and its move',
      '54,680: words to pay for, estimates in four languages, positions of tags',
      '54,150: assignments, analyses, penalties, tools of the editor, and four decisions',
      '52,850: the decision on posting lists',
      '52,800: fields of terms, candidates, clean memory, alignment, checks by members, and four decisions',
      '51,150: what the quality gate finds',
      '50,800: the memory by sentence, and alignment',
      '50,165: changes of TM segments',
      '49,980: FONTS_DIR',
    ],
  },
  {
    name: 'settings',
    count: settingNames.length,
    limit: 88,
    goal: 85,
    bought: ['88: ENGINES', '87: FONTS_DIR', '86: DEMO_WORKSPACE'],
  },
];

/** Megabytes of packages after `npm ci`; `install-size.slow.test.ts` measures them. */
export const megabytesOfPackages = { all: 850, production: 500 };

if (import.meta.main) {
  for (const { name, count, limit } of counted)
    if (count > limit) {
      console.error(
        `${name}: ${count}, limit ${limit}. Remove some, or raise the limit in test/architecture/budgets.ts and state what this buys.`,
      );
      process.exitCode = 1;
    }
  const figures = counted.map(({ name, count, goal }) => `${count} ${name} (goal ${goal})`);
  if (process.exitCode === undefined) console.log(`Within the budgets: ${figures.join(', ')}.`);
}
