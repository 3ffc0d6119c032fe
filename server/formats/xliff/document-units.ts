import { FileError } from '../file-error.ts';
import { type LengthLimit, type LengthUnit, lengthUnitOf } from '../length-limit.ts';
import { areForms } from '../messages/form-items.ts';
import { elementsIn, textIn, type XmlElement } from '../xml/xml-nodes.ts';
import { isSameSource } from './content.ts';

/** A unit of XLIFF 1.2 (`<trans-unit>`), or a segment of XLIFF 2. */
export interface DocumentUnit {
  /** The element whose attributes name the state: the target in 1.2, the segment in 2. */
  segment: XmlElement;
  /** The element with the text. */
  source: XmlElement;
  /** The element that the target follows. */
  last: XmlElement;
  target: XmlElement | undefined;
  /** The elements whose contents are translated separately, in the element `source`. */
  texts: readonly XmlElement[];
  key: string;
  notes: readonly string[];
  /** The maximum length of the translation. */
  limit: LengthLimit | undefined;
  isTranslatable: boolean;
  /** The plural forms of one message, for a unit that is one of them. */
  plural?: PluralUnits;
  /** The state of the existing target: `done` stays in any case, `open` is translated in any case. */
  progress: 'done' | 'open' | 'unknown';
}

/** Units that are the plural forms of one message. */
export interface PluralUnits {
  /** In the order of the file. */
  units: readonly DocumentUnit[];
  /** The category of each unit. Absent for a group of gettext, whose units have numbers. */
  categories?: readonly string[];
  /** Returns the attributes that name another form, which is added: by its category, and by its number from 0. */
  nameForm(category: string, form: number): Record<string, string>;
}

export interface DocumentUnits {
  version: 1 | 2;
  /** The elements that declare the languages. */
  declaring: readonly XmlElement[];
  units: readonly DocumentUnit[];
  /** Returns the name of an element without the prefix of XLIFF. */
  local(element: XmlElement): string;
  /** Returns the segments in a source or target of XLIFF 1.2. */
  segmentsIn(element: XmlElement): XmlElement[];
}

/** The properties that elements pass on to those inside. */
interface Inherited {
  isTranslatable: boolean;
  limit: LengthLimit | undefined;
  /** Whether the file declares that sizes are in code points. */
  hasSizes: boolean;
}

/**
 * Returns the units of a document.
 *
 * @throws {FileError} `unreadable` for another kind of XML, or another version
 */
export function readUnits(root: XmlElement): DocumentUnits {
  const prefix = /^(?:[^:]+:)?/.exec(root.name)![0];
  const local = ({ name }: XmlElement): string =>
    name.startsWith(prefix) ? name.slice(prefix.length) : name;
  if (local(root) !== 'xliff')
    throw new FileError(
      'unreadable',
      `the root element of the XML is <${root.name.slice(0, 40)}>, not <xliff>`,
    );
  const version = root.attributes.get('version')?.value ?? '';
  if (!/^(?:1\.[012]|2\.[012])$/.test(version))
    throw new FileError(
      'unreadable',
      `this is XLIFF ${version.slice(0, 20) || 'without a version'}; send XLIFF 1.2, 2.0 or 2.1`,
    );
  const major = version.startsWith('1') ? 1 : 2;
  const segmentsIn = (element: XmlElement): XmlElement[] =>
    elementsIn(element).flatMap((child) =>
      local(child) === 'mrk' && child.attributes.get('mtype')?.value === 'seg' ? [child] : segmentsIn(child),
    );
  const reader = new UnitReader(local, segmentsIn);
  const files = elementsIn(root).filter((element) => local(element) === 'file');
  const start = { isTranslatable: true, limit: undefined, hasSizes: false };
  for (const file of files) {
    const first = reader.units.length;
    reader.readGroup(file, start);
    joinForms(reader.units.slice(first));
  }
  return { version: major, declaring: major === 1 ? files : [root], units: reader.units, local, segmentsIn };
}

class UnitReader {
  readonly units: DocumentUnit[] = [];
  readonly #local: DocumentUnits['local'];
  readonly #segmentsIn: DocumentUnits['segmentsIn'];

  constructor(local: DocumentUnits['local'], segmentsIn: DocumentUnits['segmentsIn']) {
    this.#local = local;
    this.#segmentsIn = segmentsIn;
  }

  readGroup(group: XmlElement, outer: Inherited): void {
    const inherited = this.#inherit(group, outer);
    const forms = this.#formsIn(group);
    for (const element of elementsIn(group)) {
      const name = this.#local(element);
      if (name === 'body' || name === 'group' || name === 'bin-unit') this.readGroup(element, inherited);
      else if (name === 'trans-unit') this.#readTransUnit(element, inherited);
      else if (name === 'unit') this.#readUnit(element, inherited);
    }
    const units = this.units.filter(({ segment }) => forms.includes(segment));
    const nameForm = (_: string, form: number) => ({ id: idOf(units.at(-1)!).replace(/\d+\]$/, `${form}]`) });
    for (const unit of units) unit.plural = { units, nameForm };
  }

  /** Returns the plural forms in a group of gettext, whose IDs end with `[0]`, `[1]` and so on. */
  #formsIn(group: XmlElement): XmlElement[] {
    if (group.attributes.get('restype')?.value !== 'x-gettext-plurals') return [];
    const units = elementsIn(group).filter((element) => this.#local(element) === 'trans-unit');
    const isForm = ({ attributes }: XmlElement, at: number) =>
      attributes.get('id')?.value.endsWith(`[${at}]`);
    return units.length > 1 && units.every(isForm) ? units : [];
  }

  #inherit(element: XmlElement, { isTranslatable, limit, hasSizes }: Inherited): Inherited {
    const of = (name: string) => element.attributes.get(name)?.value;
    const translate = of('translate');
    const profiles = elementsIn(element).find(({ name }) => name.endsWith(':profiles'));
    const sized = hasSizes || profiles?.attributes.get('generalProfile')?.value === 'xliff:codepoints';
    const [, restriction] = [...element.attributes].find(([name]) => name.endsWith(':sizeRestriction')) ?? [];
    const unit = unitOf(of('size-unit'), of('font'));
    const max = unit ? of('maxwidth') : sized ? restriction?.value.split(',').at(-1) : undefined;
    return {
      isTranslatable: translate === undefined ? isTranslatable : translate !== 'no',
      limit: /^0*[1-9]\d{0,8}$/.test(max?.trim() ?? '')
        ? { most: Number(max), unit: unit ?? 'characters' }
        : limit,
      hasSizes: sized,
    };
  }

  #child(element: XmlElement, name: string): XmlElement | undefined {
    return elementsIn(element).find((child) => this.#local(child) === name);
  }

  #readTransUnit(unit: XmlElement, outer: Inherited): void {
    const source = this.#child(unit, 'source');
    if (!source) return;
    const segmented = this.#child(unit, 'seg-source');
    const target = this.#child(unit, 'target');
    const parts = segmented ? this.#segmentsIn(segmented) : [];
    const state = target?.attributes.get('state')?.value ?? '';
    const isDone = unit.attributes.get('approved')?.value === 'yes' || /^(?:final|signed-off)$/.test(state);
    this.units.push({
      segment: unit,
      source: parts.length > 0 ? segmented! : source,
      last: segmented ?? source,
      target,
      texts: parts.length > 0 ? parts : [source],
      key: nameOf(unit, 'resname'),
      notes: this.#notesIn(unit),
      ...this.#inherit(unit, outer),
      progress: isDone ? 'done' : /^(?:new|needs-translation)$/.test(state) ? 'open' : 'unknown',
    });
  }

  #readUnit(unit: XmlElement, outer: Inherited): void {
    const inherited = this.#inherit(unit, outer);
    const notes = this.#child(unit, 'notes');
    const [, choice = ''] = endingWith(unit, ':switch') ?? [];
    const arePlural = /^\s*plural:\S+\s*$/.test(choice);
    const forms: DocumentUnit[] = [];
    for (const segment of elementsIn(unit)) {
      const source = this.#child(segment, 'source');
      if (this.#local(segment) !== 'segment' || !source) continue;
      const state = segment.attributes.get('state')?.value;
      const [, own] = endingWith(segment, ':case') ?? [];
      forms.push({
        segment,
        source,
        last: source,
        target: this.#child(segment, 'target'),
        texts: [source],
        key: nameOf(unit, 'name'),
        notes: [
          ...(notes ? this.#notesIn(notes) : []),
          ...(own === undefined || arePlural ? [] : [`for ${choice} = “${own}”`]),
        ],
        ...inherited,
        progress: state === 'final' ? 'done' : state === 'initial' ? 'open' : 'unknown',
      });
    }
    this.units.push(...forms);
    if (arePlural) joinCases(forms);
  }

  #notesIn(element: XmlElement): string[] {
    return elementsIn(element).flatMap((note) =>
      // Angular writes the lines of the source code as notes.
      this.#local(note) === 'note' && note.attributes.get('category')?.value !== 'location'
        ? [textIn(note).replace(/\s+/g, ' ').trim().slice(0, 1_000)]
        : [],
    );
  }
}

/** Returns the name and the value of an attribute, whatever the prefix of its module. */
function endingWith({ attributes }: XmlElement, end: string): [name: string, value: string] | undefined {
  const [name, attribute] = [...attributes].find(([one]) => one.endsWith(end)) ?? [];
  return name === undefined ? undefined : [name, attribute!.value];
}

/** Marks the segments of a unit of XLIFF 2.2 that are plural forms: for a category, or for a number. */
function joinCases(units: readonly DocumentUnit[]): void {
  const cases = units.map(({ segment }) => endingWith(segment, ':case'));
  const categories = cases.map((one) => one?.[1] ?? '');
  if (!areForms(categories.filter((category) => !/^\d+$/.test(category)))) return;
  const nameForm = (category: string): Record<string, string> => {
    const model = units[categories.indexOf('other')]!;
    const id = idOf(model);
    return { [cases[0]![0]]: category, ...(id !== '' && { id: `${id}-${category}` }) };
  };
  for (const unit of units) unit.plural = { units, categories, nameForm };
}

const idOf = ({ segment }: DocumentUnit): string => segment.attributes.get('id')?.value ?? '';

/**
 * The key of a plural form: the start, the category and the end. Xcode has keys such as `%lld files|==|plural.one` and
 * `/%d files:dict/files:dict/one:dict/:string`, and others `files_one`, `files.one` and `files[one]`.
 */
const keyOfForm =
  /^(.+(?:\|==\|(?:.+\.)?plural\.|:dict\/|[._[]))(zero|one|two|few|many|other)(\]|:dict\/:string)?$/s;

/** Marks the units of a file whose keys name the plural forms of one message. One of them is `other`. */
function joinForms(units: readonly DocumentUnit[]): void {
  const groups = new Map<string, { unit: DocumentUnit; category: string; start: string; end: string }[]>();
  for (const unit of units) {
    const [, start, category, end = ''] = keyOfForm.exec(idOf(unit)) ?? keyOfForm.exec(unit.key) ?? [];
    if (start === undefined || unit.plural) continue;
    const group = groups.get(start + end) ?? [];
    groups.set(start + end, [...group, { unit, category: category!, start, end }]);
  }
  for (const group of groups.values()) {
    const categories = group.map(({ category }) => category);
    if (!areForms(categories) || group.length < 2) continue;
    const nameForm = (category: string): Record<string, string> => {
      const { unit, start, end } = group.at(-1)!;
      const key = start + category + end;
      if (keyOfForm.test(idOf(unit))) return { id: key };
      return { id: `${idOf(unit)}-${category}`, resname: key };
    };
    const plural = { units: group.map(({ unit }) => unit), categories, nameForm };
    for (const { unit } of group) unit.plural = plural;
  }
}

/** Returns the unit of `maxwidth`: pixels without `size-unit`. The attribute `font` has a name and a size in points. */
function unitOf(unit = 'pixel', font = ''): LengthUnit | null {
  if (unit !== 'pixel') return unit === 'char' ? 'characters' : unit === 'glyph' ? 'graphemes' : null;
  const [name = '', points, weight] = font.split(';').map((part) => part.trim());
  const pixels = Math.round((Number(points) || 0) * (400 / 3)) / 100;
  return lengthUnitOf(`${weight === 'bold' ? 'bold ' : ''}${pixels}px ${name}`);
}

function nameOf({ attributes }: XmlElement, attribute: string): string {
  return attributes.get(attribute)?.value || attributes.get('id')?.value || '';
}

/** Whether an existing target is a translation: it has text, and it is not a copy of the source. */
export function isTranslation(target: XmlElement | undefined, source: XmlElement): boolean {
  return (
    target !== undefined && textIn(target).trim() !== '' && !isSameSource(textIn(target), textIn(source))
  );
}
