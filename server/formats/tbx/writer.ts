import { attributes, escapeText } from '../xml/xml-text.ts';

/** The supported editions: ISO 30042:2019, and the edition of 2008. Most tools can only read the edition of 2008. */
export const tbxEditions = ['2019', '2008'] as const;

export type TbxEdition = (typeof tbxEditions)[number];

export const tbxType = 'application/x-tbx+xml';

/** A term and its translation. If a language is empty, the term applies to any language. */
export interface TbxEntry {
  /** The number of the entry, unique in the file. */
  number: number;
  sourceTerm: string;
  targetTerm: string;
  sourceLang: string;
  targetLang: string;
}

/** The names of the elements in each edition. The editions differ only in these names and in the root element. */
const names = {
  '2019': { header: 'tbxHeader', concept: 'conceptEntry', language: 'langSec', section: 'termSec' },
  '2008': { header: 'martifHeader', concept: 'termEntry', language: 'langSet', section: 'tig' },
} as const;

/**
 * Returns the start of a TBX-Basic file in UTF-8, without a DTD. It must be followed by the entries and by `tbxTail`.
 */
export function tbxHead(edition: TbxEdition, title: string): string {
  const { header } = names[edition];
  const root =
    edition === '2019'
      ? `<tbx${attributes({ type: 'TBX-Basic', style: 'dca', 'xml:lang': 'en', xmlns: 'urn:iso:std:iso:30042:ed-2' })}>`
      : `<martif${attributes({ type: 'TBX-Basic', 'xml:lang': 'en' })}>`;
  const description = `<fileDesc><titleStmt><title>${escapeText(title)}</title></titleStmt><sourceDesc><p>LinguaLoop</p></sourceDesc></fileDesc>`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root}\n<${header}>${description}</${header}>\n<text><body>\n`;
}

/** Returns one concept with a term in each language. Each element is on a separate line. */
export function tbxEntry(edition: TbxEdition, entry: TbxEntry): string {
  const { concept, language, section } = names[edition];
  const inLanguage = (tag: string, term: string) =>
    `<${language}${attributes({ 'xml:lang': tag || undetermined })}><${section}><term>${escapeText(term)}</term></${section}></${language}>\n`;
  return [
    `<${concept}${attributes({ id: `c${entry.number}` })}>\n`,
    inLanguage(entry.sourceLang, entry.sourceTerm),
    inLanguage(entry.targetLang, entry.targetTerm),
    `</${concept}>\n`,
  ].join('');
}

/** The BCP 47 tag for an undetermined language. */
const undetermined = 'und';

/** Returns the end of a file that starts with `tbxHead`. */
export function tbxTail(edition: TbxEdition): string {
  return `</body></text>\n</${edition === '2019' ? 'tbx' : 'martif'}>\n`;
}
