import type { FieldName, TermFields } from '../term-fields.ts';
import { createRanking, type TmxSides } from '../tmx/reader.ts';
import { createParser, decodePieces, XmlFileError } from '../xml/xml-parser.ts';

/** A term of a concept in one of the two requested languages. */
export interface TbxTerm {
  /** The line of the `<term>` element, from 1. */
  line: number;
  /** The term; each run of spaces and line breaks has become one space. */
  text: string;
  /** Null if the file does not state one of these. */
  status: TermFields['status'] | null;
  /** The fields of the term and of its language. */
  levels: readonly TbxFields[];
}

/** The texts of fields at one level of a file: of a concept, a language or a term. */
export type TbxFields = Partial<Record<FieldName, string>>;

/** A concept with its terms in both requested languages, in file order. */
export interface TbxConcept {
  line: number;
  fields: TbxFields;
  sources: TbxTerm[];
  targets: TbxTerm[];
}

/**
 * The root elements of TBX 2008 (`martif`), of TBX 2019 (`tbx`) and of TBX-Min (`TBX`). These formats have the same
 * content.
 */
const roots: ReadonlySet<string> = new Set(['martif', 'tbx', 'TBX']);
const concepts: ReadonlySet<string> = new Set(['termEntry', 'conceptEntry', 'entry']);
const languages: ReadonlySet<string> = new Set(['langSet', 'langSec', 'langGroup']);
const sections: ReadonlySet<string> = new Set(['tig', 'ntig', 'termSec', 'termGroup']);

/** The fields by the names of elements, or values of the attribute `type`, that state them. */
const fieldOfName: ReadonlyMap<string, FieldName> = new Map([
  ['administrativeStatus', 'status'],
  ['normativeAuthorization', 'status'],
  ['termStatus', 'status'],
  ['definition', 'definition'],
  ['note', 'note'],
  ['partOfSpeech', 'part_of_speech'],
  ['grammaticalGender', 'gender'],
  ['subjectField', 'domain'],
  ['doNotTranslate', 'do_not_translate'],
]);

/** The types of elements whose attribute `target` links to a picture. */
const pictureTypes: ReadonlySet<string> = new Set(['xGraphic', 'externalCrossReference']);

/**
 * Calls `onConcept` for each concept of a TBX file that has terms in both languages, in file order. If several
 * languages of a concept match one side, only those with the declared tag are used; if none has this tag, all are used.
 *
 * @param onSkipped is called with the line of each concept that has no term in one of the languages
 * @throws {XmlFileError}
 */
export function readTbx(
  bytes: Uint8Array,
  sides: TmxSides,
  onConcept: (concept: TbxConcept) => void,
  onSkipped: (line: number) => void,
): void {
  const ranksOf = createRanking(sides);
  /** The names of the open elements, outermost first. */
  const path: string[] = [];
  let concept: { line: number; fields: TbxFields; source: Side; target: Side } | undefined;
  let ranks = { source: 0, target: 0 };
  let language: TbxFields | undefined;
  let section: { terms: { line: number; text: string }[]; fields: TbxFields } | undefined;
  /** The text of the open element that contains a term or a field; undefined outside of such an element. */
  let text: string | undefined;
  /** The field of this element; undefined for a term. */
  let field: FieldName | undefined;
  let line = 0;

  const parser = createParser({
    open: (written, attributes, at) => {
      const name = localName(written);
      path.push(name);
      if (path.length === 1 && !roots.has(name))
        throw new XmlFileError(
          'wrong_root',
          'the file is XML but not TBX: its root element is neither <martif> nor <tbx>',
          at,
        );
      if (concepts.has(name) && path.at(-2) === 'body')
        concept = { line: at, fields: {}, source: newSide(), target: newSide() };
      else if (!concept) return;
      else if (languages.has(name)) {
        ranks = ranksOf(attributes['xml:lang'] || attributes['lang'] || '');
        language = {};
      } else if (sections.has(name)) section = { terms: [], fields: {} };
      else if (section && name === 'term') {
        text = '';
        field = undefined;
        line = at;
      } else if (pictureTypes.has(attributes['type'] ?? ''))
        (section?.fields ?? language ?? concept.fields).picture ??= attributes['target'] ?? '';
      else {
        const stated = fieldOfName.get(attributes['type'] ?? '') ?? fieldOfName.get(name);
        if (!stated || (stated === 'status' && !section)) return;
        text = '';
        field = stated;
      }
    },
    text: (piece) => {
      if (text !== undefined) text += piece;
    },
    close: () => {
      const name = path.pop() as string;
      if (!concept) return;
      if (section && text !== undefined && name === 'term') {
        section.terms.push({ line, text: text.replace(lineSpace, ' ').trim() });
        text = undefined;
      } else if (text !== undefined && field && !inlineElements.has(name)) {
        const fields = section?.fields ?? language ?? concept.fields;
        // Of several statuses the last one counts, and of other fields the first one.
        if (field === 'status' || !fields[field]) fields[field] = text;
        text = undefined;
      } else if (section && sections.has(name)) {
        for (const term of section.terms) {
          if (term.text === '') continue;
          const { status, ...fields } = section.fields;
          const found = { ...term, status: statusOf(status ?? ''), levels: [fields, language ?? {}] };
          add(concept.source, ranks.source, found);
          add(concept.target, ranks.target, found);
        }
        section = undefined;
      } else if (languages.has(name)) {
        ranks = { source: 0, target: 0 };
        language = undefined;
      } else if (concepts.has(name) && path.at(-1) === 'body') {
        const { line, fields, source, target } = concept;
        if (source.terms.length > 0 && target.terms.length > 0)
          onConcept({ line, fields, sources: source.terms, targets: target.terms });
        else onSkipped(line);
        concept = undefined;
      }
    },
  });
  for (const piece of decodePieces(bytes, 'a TBX file')) parser.write(piece);
  parser.close();
}

/** Spaces and line breaks. A space that does not break is part of a French term. */
const lineSpace = /[ \t\r\n\v\f\u0085\u2028\u2029]+/g;

/** Markup inside a term or a note. Its text is part of the term or of the note. */
const inlineElements: ReadonlySet<string> = new Set(['hi', 'foreign', 'sc', 'ec', 'ph']);

/** The terms of one language of a concept, all from language sections of the highest rank so far. */
interface Side {
  rank: number;
  terms: TbxTerm[];
}

function newSide(): Side {
  return { rank: 1, terms: [] };
}

function add(side: Side, rank: number, term: TbxTerm): void {
  if (rank > side.rank) Object.assign(side, { rank, terms: [] });
  if (rank === side.rank) side.terms.push(term);
}

/** Removes the prefix of an element's name. Modules of TBX have their own prefixes: `basic:administrativeStatus`. */
function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

/** Parses a status. In TBX-Basic, the values have suffixes: `preferredTerm-admn-sts`. */
function statusOf(value: string): TbxTerm['status'] {
  const word = value.trim().toLowerCase();
  if (word.startsWith('preferred')) return 'preferred';
  if (/^(admitted|allowed)/.test(word)) return 'allowed';
  return /^(deprecated|superseded|notrecommended|obsolete|rejected|forbidden)/.test(word)
    ? 'forbidden'
    : null;
}
