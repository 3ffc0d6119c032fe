import type { PriceList } from '#server/billing/prices.ts';
import { layoutKindNames, layoutKinds } from '#server/formats/layout-kinds.ts';
import { type LanguageCode, languageCodes } from '#server/languages.ts';
import { arrow, check, confirmedMark, criticalMark, escapeHtml } from './html.ts';
import { pricesPart } from './landing-prices.ts';
import { ar } from './landing-words/ar.ts';
import { de } from './landing-words/de.ts';
import { en } from './landing-words/en.ts';
import { es } from './landing-words/es.ts';
import { fr } from './landing-words/fr.ts';
import { ja } from './landing-words/ja.ts';
import { pt } from './landing-words/pt.ts';
import type { LandingWords } from './landing-words/words.ts';
import type { Locale } from './locale.ts';
import { createWorkspace, pageLinks, signIn } from './page-words.ts';
import type { Page } from './pages.ts';

const allWords: Record<Locale, LandingWords> = { en, fr, de, es, pt, ar, ja };

/** Properties of the deployment that the landing page shows. */
export interface LandingFacts {
  /** The service's public URL, which the examples use. */
  address: string;
  basePath: string;
  /** Whether new workspaces can be created with an email address. */
  signUp: boolean;
  /** Whether visitors can look at the demo workspace. */
  demo: boolean;
  /** Whether translations need a plan or the free trial. */
  needsPlan: boolean;
  /** The free trial of new workspaces; null if there is none. */
  trial: { characters: number; days: number } | null;
}

/**
 * Builds the landing page, which `/` shows unless the operator has a page `home`. `parts` are the links to its parts, for
 * the navigation at its top.
 * @param prices null if nothing is sold
 * @param picture returns the picture of the editor as HTML, with the given description; undefined if it does not exist
 */
export function landingPage(
  locale: Locale,
  { address, basePath, signUp, demo, needsPlan, trial }: LandingFacts,
  prices: PriceList | null,
  picture: (alt: string) => string | undefined,
): Page & { parts: [address: string, name: string][] } {
  const words = allWords[locale];
  const number = (value: number) => new Intl.NumberFormat(locale).format(value);
  const values = {
    ...figures(locale),
    count: number(languageCodes.length),
    formats: number(layoutKindNames.length),
  };
  const say = (text: string, more: Record<string, string> = {}) =>
    inline(filled(text, { ...values, ...more }));
  const at = (path: string) => escapeHtml(basePath + path);
  const start = signUp
    ? `<a class="button primary large" href="${at(pageLinks.signUp)}">${escapeHtml(createWorkspace[locale])} ${arrow}</a>`
    : `<a class="button primary large" href="${at(pageLinks.signIn)}">${escapeHtml(signIn[locale])} ${arrow}</a>`;
  const look = demo ? `<a class="button large" href="${at('/demo')}">${say(words.demo)}</a> ` : '';
  const shot = picture(words.picture);
  const sold = prices && pricesPart(locale, prices, words.prices);
  const offer = trial
    ? say(words.trial, { characters: number(trial.characters), days: daysOf(trial.days, locale) })
    : say(needsPlan ? words.plan : words.finalText);
  const content = `<section class="hero">
<div>
<p class="eyebrow">${say(words.eyebrow)}</p>
<h1>${say(words.headline)}</h1>
<p class="lead">${say(words.lead)}</p>
<p class="actions">${start} ${look}<a class="button large" href="#developers">${say(words.readApi)}</a></p>
<ul class="points">${words.points.map((point) => `<li>${confirmedMark}<span>${say(point)}</span></li>`).join('')}</ul>
</div>
${shot ? `<div class="shot">${shot}</div>` : ''}
</section>
<section class="how" id="how">
<h2>${say(words.howHeading)}</h2>
<div class="cards">
${card(layoutExample, words.layout, say)}
${card(checksExample, words.checks, say)}
${card(memoryExample(words.memory, say), words.memory, say)}
</div>
</section>
<section class="languages" id="formats">
<h2>${say(words.formatsHeading)}</h2>
<ul translate="no">${layoutKindNames.map((kind) => `<li dir="ltr">${layoutKinds[kind].extensions.map((extension) => `.${extension}`).join(' ')}</li>`).join('')}</ul>
</section>
${different(words.different, say, at)}
<section class="languages" id="languages">
<h2>${say(words.languagesHeading)}</h2>
<ul>${languageCodes.map((code) => `<li lang="${code}" dir="auto" translate="no">${escapeHtml(ownName(code))}</li>`).join('')}</ul>
</section>
${developers(words, say, { address, needsPlan }, at)}
${sold ?? ''}
<section class="final">
<h2>${say(words.finalHeading)}</h2>
<p>${offer}</p>
<p>${start}</p>
</section>`;
  const parts: [address: string, name: string][] = [
    ['#how', words.how],
    ['#formats', words.formats],
    ['#languages', words.languages],
    ['#developers', words.developers],
    ...(sold ? [['#prices', words.prices.heading] as [string, string]] : []),
  ];
  return { title: words.title, content, locale, parts };
}

/** Turns a text into HTML that can contain a figure or code. */
type Say = (text: string) => string;

function card(example: string, { heading, text, measured }: LandingWords['layout'], say: Say): string {
  return `<article>
<div class="example" aria-hidden="true" translate="no">${example}</div>
<h3>${say(heading)}</h3>
<p>${say(text)}</p>
<p class="measured">${say(measured)}</p>
</article>`;
}

/** Two pages: the lines of the first run from left to right, those of the second from right to left. */
const layoutExample = ['ltr', 'rtl']
  .map((dir) => `<span class="sheet" dir="${dir}"><b></b><i></i><i></i><i></i><em></em><i></i><i></i></span>`)
  .join(arrow);

/** Values of a source and of its translation. */
const checksExample = [
  [criticalMark, '€2,500.00', '<mark>2.050,00 €</mark>'],
  [criticalMark, '<code>{name}</code>', '<del><code>{nombre}</code></del>'],
  [confirmedMark, '25 °C', '25 °C'],
]
  .map(
    ([mark, source, target]) =>
      `<span class="pair" dir="ltr">${mark}<span>${source}</span>${arrow}<span>${target}</span></span>`,
  )
  .join('');

function memoryExample({ exact, fuzzy, fresh }: LandingWords['memory'], say: Say): string {
  const rows = [['100%', ...exact], ['94%', ...fuzzy], fresh];
  return rows
    .map(
      ([match = '', text = '', effect = '']) =>
        `<span class="match"><b>${say(match)}</b><span>${say(text)}</span><small>${say(effect)}</small></span>`,
    )
    .join('');
}

function different(
  { heading, submissions, gate, storage, start, install }: LandingWords['different'],
  say: Say,
  at: (path: string) => string,
): string {
  const parts = [submissions, gate, storage, start].map(
    (part) => `<article><h3>${say(part.heading)}</h3><p>${say(part.text)}</p></article>`,
  );
  return `<section class="how" id="different">
<h2>${say(heading)}</h2>
<div class="cards four">
${parts.join('\n')}
</div>
<p class="actions"><a class="button large" href="${at('/docs/guides/installing')}">${say(install)} ${arrow}</a></p>
</section>`;
}

/** Such as `9 days`. */
function daysOf(days: number, locale: Locale): string {
  return new Intl.NumberFormat(locale, { style: 'unit', unit: 'day', unitDisplay: 'long' }).format(days);
}

function developers(
  words: LandingWords,
  say: Say,
  { address, needsPlan }: Pick<LandingFacts, 'address' | 'needsPlan'>,
  at: (path: string) => string,
): string {
  const samples = [
    ['curl', curlSample(address, words.comment)],
    ['TypeScript', sdkSample(address)],
  ] as const;
  const choices = samples
    .map(
      ([name], index) =>
        `<input type="radio" name="sample" id="sample-${index}"${index === 0 ? ' checked' : ''}><label for="sample-${index}">${name}</label>`,
    )
    .join('');
  return `<section class="developers" id="developers">
<div>
<p class="eyebrow">${say(words.developers)}</p>
<h2>${say(words.developersHeading)}</h2>
<p>${say(needsPlan ? `${words.developersText} ${words.apiPlan}` : words.developersText)}</p>
<ul class="points">${words.developersPoints.map((point) => `<li>${check}<span>${say(point)}</span></li>`).join('')}</ul>
<p class="actions"><a class="button large" href="${at('/docs')}">${say(words.readApi)}</a> <a class="button large ghost" href="${at('/docs/guides/quick-start')}">${say(words.quickStart)}</a></p>
</div>
<fieldset class="samples" dir="ltr" translate="no">
<legend>${say(words.samples)}</legend>
${choices}
${samples.map(([, code]) => `<pre tabindex="0"><code>${colored(code)}</code></pre>`).join('\n')}
<pre class="response" tabindex="0"><span>200 OK</span>
<code>${colored(response)}</code></pre>
</fieldset>
</section>`;
}

/** A request that works with this service, once `KEY` is the API key of a workspace. */
function curlSample(address: string, comment: string): string {
  return `# ${comment}
curl -s ${address}/api/translations \\
  -H "X-API-Key: $KEY" \\
  -H 'Content-Type: application/json' \\
  -H 'Idempotency-Key: greeting-1' \\
  -d '{"source_text": "Hello, {name}",
       "target_lang": "fr"}'`;
}

/** The string in the example, which is not an import of this file. */
const sdkPackage = "'@lingualoop/sdk'";

function sdkSample(address: string): string {
  return `import { LinguaLoop } from ${sdkPackage};

const client = new LinguaLoop({
  baseUrl: '${address}',
  apiKey: process.env.KEY,
});
const job = await client.translations.create({
  source_text: 'Hello, {name}',
  target_lang: 'fr',
});
console.log(job.status, job.final_translation);`;
}

const response = `{
  "status": "published",
  "final_translation": "Bonjour, {name}",
  …
}`;

/** Marks strings, comments and keywords of an example. */
function colored(code: string): string {
  return code.replace(
    /('[^']*'|"[^"]*")|(^#.*$)|\b(import|from|const|new|await)\b|[^'"#\w]+|\w+|./gm,
    (text, string?: string, comment?: string, keyword?: string) => {
      const kind = string ? 'string' : comment ? 'comment' : keyword ? 'keyword' : undefined;
      return kind ? `<span class="${kind}">${escapeHtml(text)}</span>` : escapeHtml(text);
    },
  );
}

/** Replaces `{name}` by its value; other braces stay. */
function filled(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (all, name: string) => values[name] ?? all);
}

/** Escapes a text, and shows its parts between backticks as code. */
function inline(text: string): string {
  return escapeHtml(text).replace(/`([^`]*)`/g, '<code dir="ltr">$1</code>');
}

/** The name of a language in that language, with a capital letter. */
function ownName(code: LanguageCode): string {
  const name =
    new Intl.DisplayNames(code, { type: 'language', languageDisplay: 'standard' }).of(code) ?? code;
  return name.charAt(0).toLocaleUpperCase(code) + name.slice(1);
}

/**
 * Measured figures, for the landing page. `test/web/landing.test.ts` compares them with the files that they come
 * from: test/fidelity/results.json, docs/quality-gate.md, docs/performance.md and sdk/README.md.
 */
export const measured = {
  /** Word files, Excel files, and the texts in each group. All texts were translated. */
  wordFiles: 16,
  excelFiles: 17,
  wordTexts: 1240,
  excelTexts: 37_291,
  /** The share of artificial losses that the integrity checks found. */
  losses: 119_298,
  caught: 0.9959,
  testedLanguages: 33,
  /** Wrong alarms of the integrity checks in real translations. */
  realTranslations: 1270,
  falseAlarms: 4,
  /** Segments of a translation memory, and the time to find a match among them, in milliseconds. */
  segments: 50_000,
  exactMs: 0.24,
  fuzzyMs: [5.3, 7.4],
  /** The compressed size of the SDK, in kB. */
  sdkKb: 22.3,
} as const;

/** The figures as the landing page shows them in a language, by the names that its texts use. */
function figures(locale: Locale): Record<string, string> {
  const number = (value: number) => new Intl.NumberFormat(locale, { maximumFractionDigits: 2 }).format(value);
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2 });
  const [from, to] = measured.fuzzyMs;
  return {
    texts: number(measured.wordTexts + measured.excelTexts),
    files: number(measured.wordFiles + measured.excelFiles),
    caught: percent.format(measured.caught),
    losses: number(measured.losses),
    tested: number(measured.testedLanguages),
    alarms: number(measured.falseAlarms),
    pairs: number(measured.realTranslations),
    segments: number(measured.segments),
    exact: number(measured.exactMs),
    // Isolated, so that a text from right to left keeps the order of the two.
    fuzzy: `\u2066${number(from)}–${number(to)}\u2069`,
    sdk: number(measured.sdkKb),
  };
}
