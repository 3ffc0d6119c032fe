import type { Finding, RebuildOptions } from '#server/formats/document.ts';
import { extract, rebuild } from '#server/formats/docx.ts';
import { formatTagged, parseTagged } from '#server/formats/inline-content.ts';
import { partsOf } from './docx-walk.ts';
import { wordFiles, zipOf } from './flatten-zip.ts';

export const run = (text: string, properties = ''): string =>
  `<w:r>${properties && `<w:rPr>${properties}</w:rPr>`}<w:t xml:space="preserve">${text}</w:t></w:r>`;
/** A run as the engine writes it, with the language of the translation. */
export const written = (text: string, properties = '', language = '<w:lang w:val="fr-FR"/>'): string => {
  const space = /^\s|\s$|\s\s/.test(text) ? ' xml:space="preserve"' : '';
  return `<w:r><w:rPr>${properties}${language}</w:rPr><w:t${space}>${text}</w:t></w:r>`;
};
export const paragraph = (...content: string[]): string => `<w:p>${content.join('')}</w:p>`;
export const link = (...content: string[]): string =>
  `<w:hyperlink r:id="rId1">${content.join('')}</w:hyperlink>`;
export const mark = (type: string): string => `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`;
/** A complex field. */
export const field = (code: string, ...result: string[]): string =>
  mark('begin') +
  `<w:r><w:instrText xml:space="preserve">${code}</w:instrText></w:r>` +
  mark('separate') +
  result.join('') +
  mark('end');

/** A Word file with this body. `parts` contains the XML of further parts, by type. */
export const wordFile = (body: string, parts?: Record<string, string>): Uint8Array =>
  zipOf(wordFiles(body, parts));

/** The texts of the segments as sent to a model. */
export async function textsOf(body: string, parts?: Record<string, string>): Promise<string[]> {
  const { segments } = await extract(wordFile(body, parts));
  return segments.map(({ source }) => formatTagged(source));
}

export interface Translated {
  /** The XML inside of the body element. */
  body: string;
  parts: Record<string, string>;
  findings: Finding[];
}

interface TranslateOptions extends Pick<RebuildOptions, 'output' | 'include'> {
  parts?: Record<string, string>;
  from?: string;
  to?: string;
}

/**
 * Translates a file with one reply for each segment, in order.
 * @param replies with tags in the form of `textsOf`
 */
export async function translate(
  body: string,
  replies: string[],
  { parts = {}, from = 'en', to = 'fr', output, include }: TranslateOptions = {},
): Promise<Translated> {
  const bytes = wordFile(body, parts);
  const { segments } = await extract(bytes, { include });
  const translations = segments.map(({ regionId, cellId, source }, index) => {
    const target = parseTagged(replies[index]!, source);
    if (!target) throw new Error(`the reply lacks a tag of ${formatTagged(source)}`);
    return { regionId, cellId, target };
  });
  const rebuilt = await rebuild(bytes, translations, {
    sourceLanguage: from,
    targetLanguage: to,
    output,
    include,
  });
  const after = partsOf(rebuilt.bytes);
  return {
    body: /<w:body>(.*)<\/w:body>/s.exec(after['word/document.xml']!)![1]!,
    parts: after,
    findings: rebuilt.findings,
  };
}

/** Returns a finding as it is in a file most of whose texts are translated: an info without a share. */
export function withoutShare(finding: Finding): Finding {
  const message = finding.message.replace(
    / \((?:less than )?\d+% of the visible characters(?:, together)?\)/,
    '',
  );
  return message === finding.message ? finding : { ...finding, severity: 'info', message };
}
