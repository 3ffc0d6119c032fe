import { readDeclaredVariant } from '../languages.ts';
import { InlineCodes } from './messages/inline-codes.ts';
import { joinPlaces } from './messages/key-path.ts';
import { categoriesOf, describeForm, poPluralsOf, samplesOf } from './messages/plural-forms.ts';
import { placesOfStrings, type StringEntry } from './messages/strings.ts';
import { type Edit, escapeXmlText, spliceRange, withoutForbidden } from './office/splice.ts';
import { clip } from './text.ts';
import { type TextOptions, type TextPlace, type TextPlaces, textFormat } from './text-file.ts';
import { countCharacters } from './text-tally.ts';
import {
  type DocumentUnit,
  type DocumentUnits,
  isTranslation,
  type PluralUnits,
  readUnits,
} from './xliff/document-units.ts';
import { markInline, markOfSub } from './xliff/inline-marks.ts';
import {
  attributeEdits,
  elementsIn,
  encodingEdits,
  isCdataOnly,
  parseXmlNodes,
  textIn,
  writeCdata,
  type XmlElement,
} from './xml/xml-nodes.ts';

/**
 * XLIFF 1.2 and 2 as a document: the sources are translated into the targets. A target that is a translation already
 * stays, unless the file declares another target language. A translation that needs a review has the state
 * `needs-review-translation` in XLIFF 1.2, whose groups with plural forms of gettext get those of the target language. XLIFF 2 has no such state, so the state is `translated`, with a `subState`.
 *
 * @throws {FileError} `not_text` or `unreadable`
 */
export const { check, extract, rebuild } = textFormat(findUnits);

function findUnits(text: string, languages: TextOptions): TextPlaces {
  const document = readUnits(parseXmlNodes(text));
  const reader = new Reader(text, document, languages);
  for (const unit of document.units) reader.readUnit(unit);
  return reader;
}

/** A plural form that is added: the end of the last one in the file, and its attributes. */
interface AddedForm {
  after: number;
  name: Record<string, string>;
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

  constructor(text: string, document: DocumentUnits, languages: TextOptions) {
    const { sourceLanguage, targetLanguage: language } = languages;
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

  /** Reads a unit. The last one of several plural forms is followed by those that only the target language has. */
  readUnit(unit: DocumentUnit): void {
    const { plural } = unit;
    if (!plural || !this.#language) {
      this.#readText(unit, unit, {});
      return;
    }
    const { units, nameForm } = plural;
    const categories = this.#categoriesFor(plural);
    const form = units.indexOf(unit);
    const model = units[plural.categories?.indexOf('other') ?? units.length - 1]!;
    const category = categories[form];
    const isForMany = category !== undefined && samplesOf(this.#language, category).length > 1;
    const from = isForMany && !this.#hasNumber(unit) && this.#hasNumber(model) ? model : unit;
    this.#readText(unit, from, { category });
    if (unit !== units.at(-1)) return;
    const { end: after } = unit.segment;
    for (const [more, category] of categories.slice(units.length).entries())
      this.#readText(model, model, {
        category,
        added: { after, name: nameForm(category, units.length + more) },
      });
  }

  /** Whether a unit has a placeholder, which may be a number. */
  #hasNumber({ texts }: DocumentUnit): boolean {
    return texts.some((element) => elementsIn(element).length > 0 || hasPlaceholder.test(textIn(element)));
  }

  /**
   * Reads the text of a unit.
   *
   * @param from the unit that has the source: another plural form, if that of `unit` does not show the number
   * @param form the category of a plural form, and for a copy of `unit` that is added: its attributes and its place
   */
  #readText(
    unit: DocumentUnit,
    from: DocumentUnit,
    form: { category?: string | undefined; added?: AddedForm },
  ): void {
    const { target } = from;
    const isKey =
      this.#hasKeys && this.#isOther && from.texts[0] === from.source && isTranslation(target, from.source);
    const texts = isKey ? [target!] : from.texts;
    const subs: XmlElement[] = [];
    const { local } = this.#document;
    const mark = (element: XmlElement) =>
      markInline(element.children, { text: this.#text, codes: this.#codes, local, subs });
    const marked = texts.map(mark);
    // A subflow can have codes with further ones.
    const inner: string[] = [];
    for (let at = 0; at < subs.length; at++) inner.push(mark(subs[at]!));
    const plain = [...marked, ...inner].map((one) => this.#codes.plain(one));
    const own = form.added ? '' : unit === from ? plain.join('') : unit.texts.map(textIn).join('');
    this.characters += countCharacters(own);
    const reason = this.#reasonToKeep(unit);
    if (reason) {
      this.kept.push({ reason, text: own });
      return;
    }
    const edits: Edit[] = [];
    const entries = texts.flatMap((element, at): StringEntry[] => {
      const { innerStart: start, innerEnd: end } = element;
      const existing = this.#existingSegment(from, element);
      if (existing) {
        if (own !== '') this.kept.push({ reason: 'translated_before', text: plain[at]! });
        edits.push({ start, end, text: this.#text.slice(existing.innerStart, existing.innerEnd) });
        return [];
      }
      return [this.#entryOf(unit, element, marked[at]!)];
    });
    const sentence = `in “${clip(plain.slice(0, texts.length).join(' ').trim(), 300)}”`;
    for (const [at, element] of subs.entries())
      entries.push(this.#entryOf({ ...unit, notes: [...unit.notes, sentence] }, element, inner[at]!));
    const found = this.#codes.tagged(
      placesOfStrings(entries, {
        targetLanguage: this.#language,
        bars: { sourceLanguage: this.#sourceLanguage, needsCount: true },
      }),
    );
    if (own !== '') this.kept.push(...found.kept);
    const source = isKey ? target! : from.source;
    if (found.places.length === 0) {
      // Angular expects a target also for a source that is only a code, such as `<x id="ICU"/>`.
      const isOnlyCode = textIn(source).trim() === '' && elementsIn(source).length > 0;
      const hasTarget = form.added || (target && target.children.length > 0);
      if (this.#language && isOnlyCode && !hasTarget)
        this.always.push(...this.#writeTarget(unit, this.#contentOf(source, [], []), false));
      return;
    }
    const joined = joinPlaces(found.places, (changes, needsReview) => {
      const content = this.#contentOf(source, [...edits, ...changes], subs);
      return form.added
        ? this.#copyUnit(unit, form.added, content, needsReview)
        : this.#writeTarget(unit, content, needsReview);
    });
    const place = form.category === undefined ? joined : this.#asForm(joined, form.category);
    this.places.push({
      ...place,
      ...(unit.limit && { limit: unit.limit }),
      ...((unit !== from || form.added) && { original: own }),
    });
  }

  #entryOf({ key, notes }: DocumentUnit, element: XmlElement, text: string): StringEntry {
    const { innerStart: start, innerEnd: end, line } = element;
    const writeText = isCdataOnly(element) ? writeCdata : escapeXmlText;
    const comment = notes.filter(Boolean).join('; ') || undefined;
    return {
      key,
      line,
      text,
      comment,
      write: (target) => ({
        start,
        end,
        text: this.#codes.write(target, (piece) => writeText(withoutForbidden(piece))),
      }),
    };
  }

  /** Returns the content of a source with changes, also of the subflows in its codes. */
  #contentOf(source: XmlElement, edits: readonly Edit[], subs: readonly XmlElement[]): string {
    const isIn = (one: { start: number; end: number }, outer: { start: number; end: number }) =>
      one !== outer && one.start >= outer.start && one.end <= outer.end;
    const outer = edits.filter((edit) => !edits.some((other) => isIn(edit, other)));
    const sorted = outer.toSorted((one, other) => one.start - other.start);
    let content = spliceRange(this.#text, source.innerStart, source.innerEnd, sorted);
    for (const [at, { innerStart, innerEnd }] of subs.entries()) {
      const edit = edits.find(({ start, end }) => start === innerStart && end === innerEnd);
      content = content.replaceAll(markOfSub(at), () => edit?.text ?? this.#text.slice(innerStart, innerEnd));
    }
    return content;
  }

  /**
   * Returns the categories of the units of a message, and of those that are added. None are those of a group of gettext
   * with other forms than its language.
   */
  #categoriesFor({ units, categories: own }: PluralUnits): readonly string[] {
    const language = this.#language!;
    if (own) {
      // In XLIFF 2, units with such keys are not added, but segments of one unit are.
      const isAdded = this.#document.version === 1 || hasCase(units[0]!);
      const wanted = isAdded ? categoriesOf(language) : [];
      return [...own, ...wanted.filter((category) => !own.includes(category))];
    }
    const { forms } = poPluralsOf(language);
    const ofSource = poPluralsOf(this.#sourceLanguage ?? 'en').forms;
    const { length } = units;
    return forms.length === length || (ofSource.length === length && forms.length > length) ? forms : [];
  }

  #asForm(place: TextPlace, category: string): TextPlace {
    const language = this.#language!;
    const isOwn = (categoriesOf(language) as readonly string[]).includes(category);
    const ofLanguage = (isOwn || category === 'zero' ? language : this.#sourceLanguage) ?? 'en';
    const note = /^\d+$/.test(category) ? `for the number ${category}` : describeForm(ofLanguage, category);
    const segments = place.segments.map((segment) => ({
      ...segment,
      variant: [`cardinal ${category}`, segment.variant].filter(Boolean).join(', '),
      context: [segment.context, note].filter(Boolean).join('; '),
    }));
    return { ...place, segments };
  }

  /** Returns the change that adds a plural form after the last one of its group. */
  #copyUnit(unit: DocumentUnit, { after, name }: AddedForm, content: string, needsReview: boolean): Edit[] {
    const { segment } = unit;
    const { start, end } = segment;
    const edits = [...attributeEdits(segment, name), ...this.#writeTarget(unit, content, needsReview)];
    const [gap] = /\s*$/.exec(this.#text.slice(Math.max(0, start - 1_000), start))!;
    return [{ start: after, end: after, text: gap + spliceRange(this.#text, start, end, edits) }];
  }

  #reasonToKeep(unit: DocumentUnit): string | null {
    if (!unit.isTranslatable || isRuleOfApple(unit)) return 'not_translatable';
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

const hasPlaceholder = /[%{#$]/;

const hasCase = ({ segment }: DocumentUnit) =>
  [...segment.attributes.keys()].some((name) => name.endsWith(':case'));

/** Whether a unit has the type of a variable of a strings dictionary, such as `NSStringPluralRuleType` or `lld`. */
function isRuleOfApple({ key, source }: DocumentUnit): boolean {
  return (
    /:dict(?:\/:string)?$/.test(key) && /^(?:NSString\w+|[hlqzjt]{0,2}[a-z@])$/i.test(textIn(source).trim())
  );
}

/** Whether a declared tag is that of a language, or of it in a country: `de-DE` is German. */
function isLanguage(tag: string, language: string): boolean {
  return readDeclaredVariant(tag, language as Parameters<typeof readDeclaredVariant>[1]) === language;
}
