import type { TermFields } from '../term-fields.ts';
import { attributes, escapeText } from '../xml/xml-text.ts';

/** The supported editions: ISO 30042:2019, and the edition of 2008. Most tools can only read the edition of 2008. */
export const tbxEditions = ['2019', '2008'] as const;

export type TbxEdition = (typeof tbxEditions)[number];

export const tbxType = 'application/x-tbx+xml';

/** A term and its translation. If a language is empty, the term applies to any language. */
interface TbxEntry extends Partial<TermFields> {
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

/**
 * Returns one concept with a term in each language. Each element is on a separate line. TBX-Basic has no category for
 * terms that are not translated; readers ignore unknown ones.
 */
export function tbxEntry(edition: TbxEdition, entry: TbxEntry): string {
  const { concept, language, section } = names[edition];
  const inLanguage = (tag: string, term: string, notes = '') =>
    `<${language}${attributes({ 'xml:lang': tag || undetermined })}><${section}><term>${escapeText(term)}</term>${notes}</${section}></${language}>\n`;
  const { domain, definition, picture, note, partOfSpeech, gender, status = 'preferred' } = entry;
  const element = (name: string, type: string, text: string | null | undefined) =>
    text ? `<${name}${attributes({ type })}>${escapeText(text)}</${name}>` : '';
  const ofConcept = [
    element('descrip', 'subjectField', domain),
    element('descrip', 'definition', definition),
    picture ? `<xref${attributes({ type: 'xGraphic', target: picture })}>${escapeText(picture)}</xref>` : '',
    note ? `<note>${escapeText(note)}</note>` : '',
  ].filter((written) => written !== '');
  const ofTarget = [
    element('termNote', 'partOfSpeech', partOfSpeech === 'proper_noun' ? 'properNoun' : partOfSpeech),
    element('termNote', 'grammaticalGender', gender),
    element('termNote', 'administrativeStatus', statuses[status]),
    element('termNote', 'doNotTranslate', entry.doNotTranslate ? 'yes' : null),
  ];
  return [
    `<${concept}${attributes({ id: `c${entry.number}` })}>\n`,
    ...ofConcept.map((written) => `${written}\n`),
    inLanguage(entry.sourceLang, entry.sourceTerm),
    inLanguage(entry.targetLang, entry.targetTerm, ofTarget.join('')),
    `</${concept}>\n`,
  ].join('');
}

/** The picklist values of the statuses. A term without a status is the one to use. */
const statuses = {
  preferred: null,
  allowed: 'admittedTerm-admn-sts',
  forbidden: 'deprecatedTerm-admn-sts',
} as const;

/** The BCP 47 tag for an undetermined language. */
const undetermined = 'und';

/** Returns the end of a file that starts with `tbxHead`. */
export function tbxTail(edition: TbxEdition): string {
  return `</body></text>\n</${edition === '2019' ? 'tbx' : 'martif'}>\n`;
}
