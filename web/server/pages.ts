import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Build } from './build.ts';
import { brand, escapeHtml, globe } from './html.ts';
import { directionOf, type Locale, localeNames, locales } from './locale.ts';
import {
  createWorkspace,
  navigation,
  navigationNames,
  pageLinks,
  signIn,
  skipToContent,
  topLinks,
} from './page-words.ts';
import type { Theme } from './theme.ts';

/** The directory of the pages that are part of the release, in Markdown. */
const ownPages = join(import.meta.dirname, '../pages');

/** Maximum size of a page's file, in bytes. */
const maxPageBytes = 1_000_000;

/** The properties of a deployment on which sentences of our pages depend. */
export type PageFacts = Readonly<Record<'billing' | 'mail' | 'model' | 'signUp' | 'storage', boolean>>;

export interface Page {
  title: string;
  /** HTML. */
  content: string;
  /** The language of the content. */
  locale: Locale;
}

/**
 * Reads a public page. If the operator has a file for the page, it replaces the file of the release. A file in the
 * requested language is used before one without a language. Files are read for each request, so that a change applies
 * immediately.
 * @param folder the directory `pages` under DATA_DIR
 * @param name the path of the page, such as `about` or `resources/first-steps`: letters, digits and hyphens
 * @param basePath the path of the public URL, which is inserted before paths such as `/docs` in the page
 * @param facts our own pages have passages in braces, such as `{mail? …}` and `{!mail? …}`, which are shown only if the
 * fact is true, or false
 * @returns undefined if the page does not exist. `home` exists only if the operator has a file for it.
 */
export async function readPage(
  folder: string,
  name: string,
  locale: Locale,
  basePath: string,
  facts: PageFacts,
): Promise<Page | undefined> {
  if (!/^(resources\/)?[a-z0-9-]{1,100}$/.test(name)) return undefined;
  for (const root of [folder, ownPages])
    for (const [suffix, language] of [[`.${locale}`, locale] as const, ['', 'en'] as const]) {
      const text = await readIfExists(join(root, `${name}${suffix}.md`));
      if (text === undefined) continue;
      const said = root === ownPages ? passagesOf(text, facts) : text;
      return { ...(await render(said, name, basePath)), locale: language };
    }
  return undefined;
}

/** Leaves out the passages that are not true of the deployment, with the item of a list if nothing is left of it. */
function passagesOf(text: string, facts: PageFacts): string {
  return text
    .replace(/\{(!?)(\w+)\? ([^{}]*)\}/g, (_, negated: string, fact: keyof PageFacts, said: string) =>
      facts[fact] === (negated === '') ? said : '',
    )
    .replace(/^- \n/gm, '');
}

async function readIfExists(file: string): Promise<string | undefined> {
  try {
    const bytes = await readFile(file);
    if (bytes.length > maxPageBytes) throw new Error(`${file} is larger than ${maxPageBytes} bytes`);
    return bytes.toString('utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') return undefined;
    throw error;
  }
}

/**
 * Renders a page. Its title is its first heading of level 1. HTML is shown as text, and links to `javascript:` URLs are
 * not created.
 */
async function render(
  text: string,
  name: string,
  basePath: string,
): Promise<Pick<Page, 'title' | 'content'>> {
  const { default: MarkdownIt } = await import('markdown-it');
  const markdown = new MarkdownIt({ html: false });
  const environment = {};
  const tokens = markdown.parse(text, environment);
  for (const { children } of tokens)
    for (const token of children ?? [])
      for (const attribute of ['href', 'src']) {
        const address = token.attrGet(attribute);
        if (typeof address === 'string' && /^\/(?!\/)/.test(address))
          token.attrSet(attribute, basePath + address);
      }
  const heading = tokens.findIndex(({ type, tag }) => type === 'heading_open' && tag === 'h1');
  const title = tokens[heading + 1]?.children?.map(({ content }) => content).join('');
  return {
    title: (heading >= 0 && title?.trim()) || name,
    content: markdown.renderer.render(tokens, markdown.options, environment),
  };
}

/** The parts of a public page around its content. */
export interface PageFrame {
  /** The built files. If undefined, pages have no style. */
  build: Pick<Build, 'pageStyle'> | undefined;
  /** The language of navigation and footer. */
  locale: Locale;
  theme: Theme;
  /** The path of the service's public URL. */
  basePath: string;
  /** The path of the page, without the path of the public URL; the links to the other languages lead to it. */
  path: string;
  /** Whether the page links to the sign-up. */
  signUp: boolean;
  /** A line of HTML above the content. */
  notice?: string;
  /** Links to parts of the page, for the navigation at its top. */
  parts?: readonly (readonly [address: string, name: string])[];
  /** `landing` uses the whole width; `text` has the length of lines that reads well. */
  layout?: 'landing' | 'text';
}

/** Builds the complete HTML document of a public page. The document needs no script. */
export function pageDocument({ title, content, locale }: Page, frame: PageFrame): string {
  const { build, theme, basePath, notice = '', layout = 'text' } = frame;
  const at = (path: string) => escapeHtml(basePath + path);
  const style = build ? `<link rel="stylesheet" href="${at(build.pageStyle)}">` : '';
  return `<!doctype html>
<html lang="${frame.locale}" dir="${directionOf(frame.locale)}"${theme === 'system' ? '' : ` data-theme="${theme}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="${theme === 'system' ? 'light dark' : theme}">
<title>${escapeHtml(title === 'LinguaLoop' ? title : `${title} · LinguaLoop`)}</title>
<link rel="icon" href="${at('/static/icon.svg')}" type="image/svg+xml">
${style}
</head>
<body>
<a class="skip-link" href="#main">${escapeHtml(skipToContent[frame.locale])}</a>
${header(frame, at)}
<main id="main" class="${layout}" lang="${locale}" dir="${directionOf(locale)}">
${notice}
${content}
</main>
${footer(frame, at)}
</body>
</html>
`;
}

function header({ locale, signUp, parts = [] }: PageFrame, at: (path: string) => string): string {
  const links = [
    ...parts,
    ...navigation
      .filter(([address]) => topLinks.some((one) => one === address))
      .map(([address, names]) => [at(address), names[locale]] as const),
  ].map(([address, name]) => `<a href="${address}">${escapeHtml(name)}</a>`);
  const start = signUp
    ? `<a class="button ghost" href="${at(pageLinks.signIn)}">${escapeHtml(signIn[locale])}</a>
<a class="button primary" href="${at(pageLinks.signUp)}">${escapeHtml(createWorkspace[locale])}</a>`
    : `<a class="button primary" href="${at(pageLinks.signIn)}">${escapeHtml(signIn[locale])}</a>`;
  return `<header class="top">
<a class="brand" href="${at('/')}" translate="no" aria-label="LinguaLoop">${brand}</a>
<nav aria-label="${escapeHtml(navigationNames[locale].top)}">${links.join('\n')}</nav>
<div class="start">${start}</div>
</header>`;
}

function footer({ locale, path }: PageFrame, at: (path: string) => string): string {
  const links = navigation.map(
    ([address, names]) => `<a href="${at(address)}">${escapeHtml(names[locale])}</a>`,
  );
  const choices = locales.map((one) =>
    one === locale
      ? `<b lang="${one}" aria-current="true">${localeNames[one]}</b>`
      : `<a href="${at(`${path}?lang=${one}`)}" lang="${one}" hreflang="${one}">${localeNames[one]}</a>`,
  );
  return `<footer>
<p class="brand" translate="no">${brand}</p>
<nav aria-label="${escapeHtml(navigationNames[locale].bottom)}">${links.join('\n')}</nav>
<nav class="choices" aria-label="${escapeHtml(navigationNames[locale].languages)}">${globe}${choices.join('\n')}</nav>
</footer>`;
}
