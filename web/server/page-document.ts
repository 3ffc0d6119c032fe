import type { Build } from './build.ts';
import { escapeHtml } from './html.ts';
import { brand, globe } from './icons.ts';
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
import type { Page } from './pages.ts';
import type { Theme } from './theme.ts';

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
