import { attributes, escapeText } from '../xml/xml-text.ts';

/** ISO 30042:2019, and the edition of 2008, which is the only one that most tools can read. */
export const tbxEditions = ['2019', '2008'] as const;

export type TbxEdition = (typeof tbxEditions)[number];

export const tbxType = 'application/x-tbx+xml';

/** A term and its translation; an empty language means any language. */
export interface TbxEntry {
  /** Unique in the file, from 1. */
  number: number;
  sourceTerm: string;
  targetTerm: string;
  sourceLang: string;
  targetLang: string;
}

/** The names of the elements, which are the only difference between the editions. */
const names = {
  '2019': { header: 'tbxHeader', concept: 'conceptEntry', language: 'langSec', section: 'termSec' },
  '2008': { header: 'martifHeader', concept: 'termEntry', language: 'langSet', section: 'tig' },
} as const;

/** Writes the start of a TBX-Basic file in UTF-8. Entries follow, then `tbxTail`. It has no DTD. */
export function tbxHead(edition: TbxEdition, title: string): string {
  const { header } = names[edition];
  const root =
    edition === '2019'
      ? `<tbx${attributes({ type: 'TBX-Basic', style: 'dca', 'xml:lang': 'en', xmlns: 'urn:iso:std:iso:30042:ed-2' })}>`
      : `<martif${attributes({ type: 'TBX-Basic', 'xml:lang': 'en' })}>`;
  const description = `<fileDesc><titleStmt><title>${escapeText(title)}</title></titleStmt><sourceDesc><p>LinguaLoop</p></sourceDesc></fileDesc>`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root}\n<${header}>${description}</${header}>\n<text><body>\n`;
}

/** Writes one concept with a term in each language, on separate lines. */
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

/** The BCP 47 tag of an unknown language. */
const undetermined = 'und';

/** Writes the end of a file that `tbxHead` began. */
export function tbxTail(edition: TbxEdition): string {
  return `</body></text>\n</${edition === '2019' ? 'tbx' : 'martif'}>\n`;
}
