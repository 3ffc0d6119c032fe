import { readDeclaredVariant } from '../languages.ts';
import { poPluralsOf } from './messages/gettext-plurals.ts';
import { InlineCodes, withoutMarks } from './messages/inline-codes.ts';
import { joinPlaces } from './messages/key-path.ts';
import { describeForm } from './messages/plural-forms.ts';
import { placesOfStrings, type StringEntry } from './messages/strings.ts';
import { type Edit, escapeXmlText, spliceRange, withoutForbidden } from './office/splice.ts';
import { type TextOptions, type TextPlace, type TextPlaces, textFormat } from './text-file.ts';
import { countCharacters } from './text-tally.ts';
import { type DocumentUnit, type DocumentUnits, isTranslation, readUnits } from './xliff/document-units.ts';
import {
  attributeEdits,
  encodingEdits,
  isCdataOnly,
  parseXmlNodes,
  textIn,
  writeCdata,
  type XmlElement,
  type XmlNode,
} from './xml/xml-nodes.ts';

/**
 * XLIFF 1.2 and 2 as a document: the sources are translated into the targets. A target that is a translation already
 * stays, unless the file declares another target language. A translation that needs a review has the state
 * `needs-review-translation` in XLIFF 1.2, whose groups with plural forms of gettext get those of the target language. XLIFF 2 has no such state, so the state is `translated`, with a `subState`.
 *
 * @throws {FileError} `not_text` or `unreadable`
 */
export const { check, extract, rebuild } = textFormat(findUnits);

function findUnits(text: string, { sourceLanguage, targetLanguage }: TextOptions): TextPlaces {
  const document = readUnits(parseXmlNodes(text));
  const reader = new Reader(text, document, targetLanguage, sourceLanguage);
  for (const unit of document.units) reader.readUnit(unit);
  return reader;
}

class Reader implements TextPlaces {
  readonly places: TextPlace[] = [];
  readonly kept: { reason: string; text: string }[] = [];
  readonly always: Edit[];
  characters = 0;
  readonly #text: string;
  readonly #document: DocumentUnits;
  readonly #language: string | undefined;
  readonly #sourceLanguage: string | undefined;
  readonly #codes = new InlineCodes();
  /** Whether the existing targets are in another language. Some tools write the source language and texts there. */
  readonly #isOther: boolean = false;
  /** Whether the targets are in the language of the sources, which are then keys. */
  readonly #hasKeys: boolean = false;

  constructor(
    text: string,
    document: DocumentUnits,
    language: string | undefined,
    sourceLanguage: string | undefined,
  ) {
    this.#text = text;
    this.always = encodingEdits(text);
    this.#document = document;
    this.#language = language;
    this.#sourceLanguage = sourceLanguage;
    const [source, target] =
      document.version === 1 ? ['source-language', 'target-language'] : (['srcLang', 'trgLang'] as const);
    for (const { attributes } of document.declaring) {
      const declared = attributes.get(target!)?.value;
      if (declared === undefined) continue;
      if (declared === attributes.get(source!)?.value) this.#hasKeys = true;
      if (language && !isLanguage(declared, language)) this.#isOther = true;
    }
    if (!language) return;
    for (const element of document.declaring) {
      const declared = element.attributes.get(target!)?.value ?? '';
      if (!isLanguage(declared, language))
        this.always.push(...attributeEdits(element, { [target!]: language }));
    }
  }

  readUnit(unit: DocumentUnit): void {
    const { target } = unit;
    const isKey =
      this.#hasKeys && this.#isOther && unit.texts[0] === unit.source && isTranslation(target, unit.source);
    const texts = isKey ? [target!] : unit.texts;
    const marked = texts.map((element) =>
      markInline(element.children, { text: this.#text, codes: this.#codes, local: this.#document.local }),
    );
    const plain = marked.map((one) => this.#codes.plain(one));
    this.characters += countCharacters(plain.join(''));
    const reason = this.#reasonToKeep(unit);
    if (reason) {
      this.kept.push({ reason, text: plain.join('') });
      return;
    }
    const edits: Edit[] = [];
    const entries = texts.flatMap((element, at): StringEntry[] => {
      const { innerStart: start, innerEnd: end } = element;
      const existing = this.#existingSegment(unit, element);
      if (existing) {
        this.kept.push({ reason: 'translated_before', text: plain[at]! });
        edits.push({ start, end, text: this.#text.slice(existing.innerStart, existing.innerEnd) });
        return [];
      }
      const writeText = isCdataOnly(element) ? writeCdata : escapeXmlText;
      return [
        {
          key: unit.key,
          line: element.line,
          text: marked[at]!,
          comment: unit.notes.filter(Boolean).join('; ') || undefined,
          write: (text) => ({
            start,
            end,
            text: this.#codes.write(text, (piece) => writeText(withoutForbidden(piece))),
          }),
        },
      ];
    });
    const found = this.#codes.tagged(placesOfStrings(entries, { targetLanguage: this.#language }));
    this.kept.push(...found.kept);
    if (found.places.length === 0) return;
    const source = isKey ? target! : unit.source;
    const add = (write: (content: string, needsReview: boolean) => Edit[], category?: string): TextPlace => {
      const joined = joinPlaces(found.places, (changes, needsReview) => {
        const all = [...edits, ...changes].sort((one, other) => one.start - other.start);
        return write(spliceRange(this.#text, source.innerStart, source.innerEnd, all), needsReview);
      });
      const place = category === undefined ? joined : this.#asForm(joined, category);
      return unit.limit ? { ...place, limit: unit.limit } : place;
    };
    const { form = 0, count = 0 } = unit.plural ?? {};
    const categories = this.#categoriesFor(count);
    this.places.push(add((...written) => this.#writeTarget(unit, ...written), categories[form]));
    if (form < count - 1) return;
    for (const [more, category] of categories.slice(count).entries()) {
      const place = add((...written) => this.#copyUnit(unit, count + more, ...written), category);
      this.places.push({ ...place, original: '' });
    }
  }

  /** Returns the categories of the forms that a group of gettext gets; none if it has other forms than its language. */
  #categoriesFor(count: number): readonly string[] {
    if (count === 0 || !this.#language) return [];
    const { forms } = poPluralsOf(this.#language);
    const ofSource = poPluralsOf(this.#sourceLanguage ?? 'en').forms;
    return forms.length === count || (ofSource.length === count && forms.length > count) ? forms : [];
  }

  #asForm(place: TextPlace, category: string): TextPlace {
    const note = describeForm(this.#language!, category);
    const segments = place.segments.map((segment) => ({
      ...segment,
      variant: [`cardinal ${category}`, segment.variant].filter(Boolean).join(', '),
      context: [segment.context, note].filter(Boolean).join('; '),
    }));
    return { ...place, segments };
  }

  /** Returns the change that adds a plural form after the last one of its group. */
  #copyUnit(unit: DocumentUnit, form: number, content: string, needsReview: boolean): Edit[] {
    const { segment } = unit;
    const { start, end } = segment;
    const id = segment.attributes.get('id')!.value.replace(/\d+\]$/, `${form}]`);
    const edits = [...attributeEdits(segment, { id }), ...this.#writeTarget(unit, content, needsReview)];
    const [gap] = /\s*$/.exec(this.#text.slice(Math.max(0, start - 1_000), start))!;
    return [{ start: end, end, text: gap + spliceRange(this.#text, start, end, edits) }];
  }

  #reasonToKeep(unit: DocumentUnit): string | null {
    if (!unit.isTranslatable) return 'not_translatable';
    if (this.#isOther || unit.progress === 'open') return null;
    const hasSegments =
      unit.texts[0] !== unit.source && unit.target && this.#segmentsOf(unit.target).size > 0;
    if (unit.progress === 'done') return 'translated_before';
    if (hasSegments) return null;
    // With such a state, even a copy of the source is a translation.
    const state =
      (this.#document.version === 1 ? unit.target : unit.segment)?.attributes.get('state')?.value ?? '';
    const isStated =
      /^(?:translated|reviewed)$/.test(state) && unit.target && textIn(unit.target).trim() !== '';
    return isStated || isTranslation(unit.target, unit.source) ? 'translated_before' : null;
  }

  /** Returns the segment of the target that already is the translation of a segment of the source. */
  #existingSegment(unit: DocumentUnit, segment: XmlElement): XmlElement | undefined {
    if (segment === unit.source || !unit.target || this.#isOther || unit.progress === 'open')
      return undefined;
    const existing = this.#segmentsOf(unit.target).get(segment.attributes.get('mid')?.value ?? '');
    return isTranslation(existing, segment) ? existing : undefined;
  }

  #segmentsOf(target: XmlElement): Map<string, XmlElement> {
    return new Map(
      this.#document
        .segmentsIn(target)
        .map((segment) => [segment.attributes.get('mid')?.value ?? '', segment]),
    );
  }

  #writeTarget(
    { segment, source, last, target }: DocumentUnit,
    content: string,
    needsReview: boolean,
  ): Edit[] {
    const isFirst = this.#document.version === 1;
    const state = isFirst && needsReview ? 'needs-review-translation' : 'translated';
    const ofTarget: Record<string, string | null> = isFirst ? { state, 'state-qualifier': null } : {};
    const edits = isFirst
      ? []
      : attributeEdits(segment, { state, subState: needsReview ? 'lingualoop:needs_review' : null });
    if (!target) {
      const name = last.name.replace(/(?:seg-)?source$/, 'target');
      const gap = /\s*$/.exec(this.#text.slice(segment.innerStart, last.start))![0];
      const start = isFirst ? `<${name} state="${state}">` : `<${name}${this.#space(source)}>`;
      return [...edits, { start: last.end, end: last.end, text: `${gap}${start}${content}</${name}>` }];
    }
    if (this.#isOther && this.#language && target.attributes.has('xml:lang'))
      ofTarget['xml:lang'] = this.#language;
    const start = spliceRange(this.#text, target.start, target.innerStart, attributeEdits(target, ofTarget));
    const opened = start.replace(/\s*\/>$/, '>');
    return [...edits, { start: target.start, end: target.end, text: `${opened}${content}</${target.name}>` }];
  }

  /** Returns the setting for white space of a source in XLIFF 2, which its target must have, too. */
  #space({ attributes }: XmlElement): string {
    const space = attributes.get('xml:space');
    return space ? ` ${this.#text.slice(space.start, space.end)}` : '';
  }
}

/** Whether a declared tag is that of a language, or of it in a country: `de-DE` is German. */
function isLanguage(tag: string, language: string): boolean {
  return readDeclaredVariant(tag, language as Parameters<typeof readDeclaredVariant>[1]) === language;
}

/** Elements that are in pairs with an element elsewhere: by the attribute that names the pair in each of the two. */
const halves: Readonly<Record<string, { type: 'open' | 'close'; by: readonly string[] }>> = {
  bpt: { type: 'open', by: ['rid', 'id'] },
  ept: { type: 'close', by: ['rid', 'id'] },
  bx: { type: 'open', by: ['rid', 'id'] },
  ex: { type: 'close', by: ['rid', 'id'] },
  sc: { type: 'open', by: ['id'] },
  ec: { type: 'close', by: ['startRef'] },
  sm: { type: 'open', by: ['id'] },
  em: { type: 'close', by: ['startRef'] },
};

/** Elements that surround text. All other elements stand for content that stays. */
const pairs: ReadonlySet<string> = new Set(['g', 'pc', 'mrk']);

/**
 * Returns the text of a source with marks for its inline elements, of XLIFF 1.2 and 2.
 *
 * @param local returns the name of an element without the prefix of XLIFF
 */
function markInline(
  nodes: readonly XmlNode[],
  file: { text: string; codes: InlineCodes; local: (element: XmlElement) => string },
): string {
  /** The marks of opening elements whose closing ones have not come yet, by the name of the pair. */
  const openings = new Map<string, string[]>();
  const read = (children: readonly XmlNode[]): string => children.map(readNode).join('');
  const readNode = (node: XmlNode): string => {
    if (node.kind === 'text') return withoutMarks(node.text);
    const written = file.text.slice(node.start, node.end);
    if (node.kind !== 'element') return file.codes.add({ type: 'void', written });
    const name = file.local(node);
    const half = halfOf(name, node);
    if (half) {
      const open = openings.get(half.pair) ?? [];
      openings.set(half.pair, open);
      const opening = half.type === 'close' ? open.pop() : undefined;
      const mark = file.codes.add({ type: half.type, written, opening });
      if (half.type === 'open') open.push(mark);
      return mark;
    }
    const isProtected =
      node.attributes.get('mtype')?.value === 'protected' || node.attributes.get('translate')?.value === 'no';
    if (!pairs.has(name) || node.isSelfClosing || isProtected)
      return file.codes.add({ type: 'void', written, text: isProtected ? textIn(node) : shownText(node) });
    const opening = file.codes.add({ type: 'open', written: file.text.slice(node.start, node.innerStart) });
    const inner = read(node.children);
    const end = file.text.slice(node.innerEnd, node.end);
    return opening + inner + file.codes.add({ type: 'close', written: end, opening });
  };
  return read(nodes);
}

/** Returns the pair of an element that opens or closes one. */
function halfOf(
  name: string,
  { attributes }: XmlElement,
): { type: 'open' | 'close'; pair: string } | undefined {
  const half = halves[name];
  if (half) {
    const key = half.by.map((attribute) => attributes.get(attribute)?.value).find(Boolean) ?? '';
    // The two ends of a pair have names with the same last letter.
    return { type: half.type, pair: `${name.at(-1)} ${key}` };
  }
  // Angular has elements of HTML as placeholders, with numbers on those that open.
  const [, start, element] = /^(START|CLOSE)_(.+?)(?:_\d+)?$/.exec(attributes.get('id')?.value ?? '') ?? [];
  if (name !== 'x' || element === undefined) return undefined;
  return { type: start === 'START' ? 'open' : 'close', pair: `START_${element}` };
}

/** Returns the text that a placeholder stands for. Markup and long texts are left out. */
function shownText(element: XmlElement): string | undefined {
  if (/^(?:x-)?(?:lb|html-br|br)$/.test(element.attributes.get('ctype')?.value ?? '')) return '\n';
  const text =
    element.attributes.get('equiv-text')?.value ?? element.attributes.get('equiv')?.value ?? textIn(element);
  return /[<>]/.test(text) || text.length > 60 ? undefined : withoutMarks(text);
}
