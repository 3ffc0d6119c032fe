import { attributes, escapeText, notAllowedInXml } from '../xml/xml-text.ts';
import { type XliffContent, type XliffState, xliffAuthority } from './content.ts';

/** The languages of an XLIFF document, as BCP 47 tags. They apply to all files in the document. */
export interface XliffHead {
  sourceLang: string;
  targetLang: string;
}

/** A text to be translated or reviewed. */
export interface XliffUnit {
  /** The id of the unit: an NMTOKEN that is unique in its `<file>`. */
  id: string;
  /** The location of the text in its document, in a readable form. */
  name?: string;
  /** The version of the translation from which the file is made. The reader returns it as `version`. */
  version: string;
  state: XliffState;
  /** The state of the segment in this service: `[a-z_]+`. */
  subState?: string;
  /** The notes for the reviewer. */
  notes: readonly string[];
  source: XliffContent;
  /** The translation; null if it is not translated yet. */
  target: XliffContent | null;
}

export const xliffType = 'application/xliff+xml';

/**
 * Writes the start of an XLIFF 2.1 document in UTF-8. The files must follow, each as `xliffFileHead`, its units and
 * `xliffFileTail`, and then `xliffTail`. `readXliff` returns exactly the texts that were written.
 */
export function xliffHead({ sourceLang, targetLang }: XliffHead): string {
  const root = attributes({
    xmlns: 'urn:oasis:names:tc:xliff:document:2.0',
    'xmlns:mda': 'urn:oasis:names:tc:xliff:metadata:2.0',
    version: '2.1',
    srcLang: sourceLang,
    trgLang: targetLang,
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<xliff${root}>\n`;
}

/**
 * Writes the start of a `<file>`.
 *
 * @param id the id of the file: an NMTOKEN that is unique in the document
 * @param original the name of the original document
 */
export function xliffFileHead(
  { id, original }: { id: string; original: string },
  rightToLeft: { source: boolean; target: boolean },
): string {
  const file = attributes({
    id,
    original,
    canResegment: 'no',
    srcDir: rightToLeft.source ? 'rtl' : null,
    trgDir: rightToLeft.target ? 'rtl' : null,
  });
  return `<file${file}>\n`;
}

/** Returns one `<unit>` element with one segment. Its parts are on separate lines. */
export function xliffUnit(unit: XliffUnit): string {
  const { id, name, version, state, subState, notes, source, target } = unit;
  const data = new Map<string, string>();
  const sourceText = contentXml(source, data);
  const targetText = target && contentXml(target, data);
  const group = attributes({ category: xliffAuthority });
  // The segment gets no id, because its id could be equal to the id of a code.
  const segment = attributes({ state, subState: subState && `${xliffAuthority}:${subState}` });
  return [
    // The white space setting is also on the inner elements, from which most tools read it. Some tools read it from the
    // unit.
    `<unit${attributes({ id, name, 'xml:space': 'preserve' })}>\n`,
    `<mda:metadata><mda:metaGroup${group}><mda:meta type="version">${escapeText(version)}</mda:meta></mda:metaGroup></mda:metadata>\n`,
    ...listed(
      'notes',
      notes.map((note) => `<note appliesTo="target">${escapeText(note)}</note>\n`),
    ),
    ...listed(
      'originalData',
      [...data].map(([text, ref]) => `<data${attributes({ id: ref })}>${dataXml(text)}</data>\n`),
    ),
    `<segment${segment}>\n<source xml:space="preserve">${sourceText}</source>\n`,
    targetText === null ? '' : `<target xml:space="preserve">${targetText}</target>\n`,
    '</segment>\n</unit>\n',
  ].join('');
}

/** The end of a file that starts with `xliffFileHead`. */
export const xliffFileTail = '</file>\n';

/** The end of a document that starts with `xliffHead`. */
export const xliffTail = '</xliff>\n';

function listed(name: string, items: readonly string[]): string[] {
  return items.length > 0 ? [`<${name}>\n`, ...items, `</${name}>\n`] : [];
}

/**
 * Returns the XML of a text.
 *
 * @param data the ids of the codes' data, by the data; this function adds the data of this text
 */
function contentXml(content: XliffContent, data: Map<string, string>): string {
  const refTo = (text: string): string | null => {
    if (text === '') return null;
    const known = data.get(text) ?? `d${data.size + 1}`;
    data.set(text, known);
    return known;
  };
  const closing = new Map(
    content.flatMap((item) => (typeof item !== 'string' && item.type === 'close' ? [[item.id, item]] : [])),
  );
  return content
    .map((item) => {
      if (typeof item === 'string') return dataXml(item);
      const common = { id: item.id, ...(item.fixed && { canCopy: 'no', canDelete: 'no' }) };
      if (item.type === 'close') return '</pc>';
      if (item.type === 'void')
        return `<ph${attributes({ ...common, equiv: item.equiv, dataRef: refTo(item.data) })}/>`;
      const refs = { dataRefEnd: refTo(closing.get(item.id)?.data ?? ''), dataRefStart: refTo(item.data) };
      return `<pc${attributes({ ...common, ...refs })}>`;
    })
    .join('');
}

/**
 * Returns the XML of a text without codes. Characters that XML cannot contain become `<cp>` elements, except lone
 * surrogates, which are removed.
 */
function dataXml(text: string): string {
  let xml = '';
  let done = 0;
  for (const { 0: character, index } of text.matchAll(notAllowedInXml)) {
    const code = character.codePointAt(0) as number;
    const isSurrogate = code >= 0xd800 && code <= 0xdfff;
    const cp = isSurrogate ? '' : `<cp hex="${code.toString(16).toUpperCase().padStart(4, '0')}"/>`;
    xml += escapeText(text.slice(done, index)) + cp;
    done = index + character.length;
  }
  return xml + escapeText(text.slice(done));
}
