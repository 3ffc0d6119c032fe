import { FileError } from '../file-error.ts';
import type { OfficePackage } from '../office/package.ts';
import { escapeXmlText } from '../office/splice.ts';
import type { PositionedXmlEvents, XmlEndTag, XmlStartTag } from '../office/xml-reader.ts';
import { renameInFormula, sheetReference } from './formula.ts';
import { type NewNames, nameKey } from './names.ts';
import { type PartEditor, readXmlPart, replaceAttributes } from './part-stream.ts';
import type { Workbook } from './workbook.ts';

/** The elements whose text is a formula: of cells, charts, rules, defined names, tables and controls. */
const formulaElements = new Set([
  'f',
  'formula',
  'formula1',
  'formula2',
  'sqref',
  'definedName',
  'calculatedColumnFormula',
  'totalsRowFormula',
  'FmlaLink',
  'FmlaRange',
  'FmlaGroup',
  'FmlaTxbx',
  'FmlaPict',
]);

/** The attributes that are formulas, by element. */
const formulaAttributes: Readonly<Record<string, readonly string[]>> = {
  hyperlink: ['location'],
  cfvo: ['val'],
  sp: ['textlink'],
  cameraTool: ['cellRange'],
  controlPr: ['linkedCell', 'listFillRange'],
  formControlPr: ['fmlaLink', 'fmlaRange', 'fmlaGroup', 'fmlaTxbx'],
};

/** The attributes that are the name of a sheet, by element. */
const sheetAttributes: Readonly<Record<string, string>> = {
  worksheetSource: 'sheet',
  rangeSet: 'sheet',
  dataRef: 'sheet',
};

/** Receives the findings of a reader of references. */
interface ReferenceReport {
  /** Called for each reference with a new name. */
  changed(): void;
  /** Called for each formula that may still contain an old name. @param cell the cell of the formula; '' if it has none */
  unsure(cell: string): void;
}

/** Reads the references to sheets and to columns of tables in a part, and writes the new names by means of the editor. */
export class ReferenceReader implements PositionedXmlEvents {
  readonly #names: NewNames;
  readonly #report: ReferenceReport;
  readonly #editor: PartEditor | undefined;
  #path: string[] = [];
  #cell = '';
  /** The start of the text of the open element, if its text is a reference. */
  #start = -1;
  #text = '';
  /** The sheets whose names were found in the list of titles. */
  readonly #titles = new Set<string>();

  constructor(names: NewNames, report: ReferenceReport, editor?: PartEditor) {
    this.#names = names;
    this.#report = report;
    this.#editor = editor;
  }

  openTag(tag: XmlStartTag): void {
    this.#path.push(tag.local);
    this.#start = -1;
    if (tag.local === 'c') this.#cell = tag.attributes['r'] ?? '';
    else if (!tag.selfClosing && this.#isReference(tag.local)) {
      this.#start = tag.end;
      this.#text = '';
    }
    const values = this.#newAttributes(tag);
    if (values.size === 0) return;
    this.#report.changed();
    if (this.#editor) replaceAttributes(this.#editor, tag, values);
  }

  text(text: string): void {
    if (this.#start >= 0) this.#text += text;
  }

  closeTag(tag: XmlEndTag): void {
    this.#path.pop();
    if (this.#start < 0) return;
    const next = this.#newText(tag.local, this.#text);
    if (next !== this.#text) {
      this.#report.changed();
      this.#editor?.replace(this.#start, tag.start, escapeXmlText(next));
    }
    this.#start = -1;
  }

  #isReference(local: string): boolean {
    if (formulaElements.has(local)) return true;
    return (
      (local === 'name' && this.#path.at(-2) === 'pivotSource') ||
      (local === 'lpstr' && this.#path.includes('TitlesOfParts'))
    );
  }

  #newText(local: string, text: string): string {
    if (local === 'name') return this.#newPivotSource(text);
    if (local === 'lpstr') return this.#newTitle(text);
    return this.#newFormula(text);
  }

  #newFormula(formula: string): string {
    const { text, isUnsure } = renameInFormula(formula, this.#names);
    if (isUnsure) this.#report.unsure(this.#cell);
    return text;
  }

  /** Returns the title of a part in the properties of the file: a sheet, or a defined name such as `Sheet1!Print_Area`. */
  #newTitle(title: string): string {
    const next = this.#names.sheet(title);
    // The sheets come first. A later title may be a defined name that is equal to the name of a sheet.
    if (next === undefined || this.#titles.has(nameKey(title))) return this.#newFormula(title);
    this.#titles.add(nameKey(title));
    return next;
  }

  /** Returns the pivot table of a chart: `[Book.xlsx]Sheet1!PivotTable1`, where only some programs quote the sheet. */
  #newPivotSource(source: string): string {
    const [, quote = '', book = '', written = '', pivot = ''] =
      /^('?)(\[[^\]]*\])(.*)\1(![^!]*)$/s.exec(source) ?? [];
    const old = quote === '' ? written : written.replaceAll("''", "'");
    const next = this.#names.sheet(old);
    if (book === '' || next === undefined || next === old) return source;
    return quote + book + (quote === '' ? next : next.replaceAll("'", "''")) + quote + pivot;
  }

  #newAttributes({ local, attributes }: XmlStartTag): Map<string, string> {
    const values = new Map<string, string>();
    const set = (name: string, next: (old: string) => string | undefined): void => {
      const old = attributes[name];
      const value = old === undefined ? undefined : next(old);
      if (value !== undefined && value !== old) values.set(name, value);
    };
    for (const name of formulaAttributes[local] ?? [])
      set(name, (old) => (name === 'location' ? this.#newLocation(old) : this.#newFormula(old)));
    const ofSheet = sheetAttributes[local];
    const isExternal = ofSheet !== undefined && Object.keys(attributes).some((name) => name.endsWith(':id'));
    if (ofSheet !== undefined && !isExternal) set(ofSheet, (old) => this.#names.sheet(old));
    if (local === 'sheet' && this.#path[0] === 'workbook') set('name', (old) => this.#names.sheet(old));
    if (local === 'Relationship' && attributes['Type']?.endsWith('/hyperlink'))
      set('Target', (old) => (old.startsWith('#') ? this.#newTarget(old) : undefined));
    return values;
  }

  /** Returns the target of a link in the workbook. Some programs omit the quotes of a sheet. */
  #newLocation(location: string): string {
    const end = location.lastIndexOf('!');
    const next = this.#names.sheet(location.slice(0, Math.max(end, 0)));
    if (next === undefined) return this.#newFormula(location);
    return next === location.slice(0, end) ? location : sheetReference([next]) + location.slice(end);
  }

  /** Returns the target of a link from a shape: `#'Sheet%201'!A1`. */
  #newTarget(target: string): string {
    let location: string;
    try {
      location = decodeURI(target.slice(1));
    } catch {
      return target;
    }
    const next = this.#newLocation(location);
    return next === location ? target : `#${encodeURI(next)}`;
  }
}

/** The relationships to parts that may refer to a sheet or a table. Parts with the data of other workbooks are not among them. */
const followed = new Set([
  'worksheet',
  'chartsheet',
  'dialogsheet',
  'xlMacrosheet',
  'xlIntlMacrosheet',
  'table',
  'drawing',
  'vmlDrawing',
  'chart',
  'chartEx',
  'chartUserShapes',
  'ctrlProp',
  'pivotTable',
  'pivotCacheDefinition',
]);

/**
 * Lists the parts that may refer to a sheet or a table: the workbook's own part and all that it leads to, the properties of
 * the file, and the lists of relationships with links.
 */
async function partsWithReferences({ office, path }: Workbook): Promise<string[]> {
  const parts = new Set([path]);
  const lists: string[] = [];
  // The loop also visits the parts that are added to the set during the loop.
  for (const part of parts) {
    const related = await office.relationships(part);
    for (const { type, target } of related) if (followed.has(type) && target !== undefined) parts.add(target);
    if (related.some(({ type }) => type === 'hyperlink')) lists.push(relationshipsOf(part));
  }
  const ofPackage = await office.relationships('');
  const properties = ofPackage.find(({ type }) => /^extended-?properties$/i.test(type))?.target;
  return [...parts, ...(properties === undefined ? [] : [properties]), ...lists].filter((part) =>
    exists(office, part),
  );
}

function relationshipsOf(path: string): string {
  const slash = path.lastIndexOf('/') + 1;
  return `${path.slice(0, slash)}_rels/${path.slice(slash)}.rels`;
}

function exists(office: OfficePackage, path: string): boolean {
  try {
    office.sizeOf(path);
    return true;
  } catch (error) {
    if (error instanceof FileError) return false;
    throw error;
  }
}

/** The references of a workbook to names that change. */
export interface References {
  /** The parts in which a reference changes. */
  parts: Set<string>;
  /** The number of formulas that may still contain an old name, and the places of the first ones: `Sheet1!B2`. */
  unsure: number;
  places: string[];
}

/** The maximum number of places in a finding. */
const maxPlaces = 5;

/**
 * Finds the references to names that change.
 *
 * @throws {FileError} `unreadable` or `too_large`
 */
export async function findReferences(workbook: Workbook, names: NewNames): Promise<References> {
  const found: References = { parts: new Set(), unsure: 0, places: [] };
  if (names.isEmpty) return found;
  for (const path of await partsWithReferences(workbook)) {
    const sheet = workbook.sheets.find((one) => one.path === path);
    const report: ReferenceReport = {
      changed: () => found.parts.add(path),
      unsure: (cell) => {
        found.unsure++;
        if (sheet && cell !== '' && found.places.length < maxPlaces)
          found.places.push(`${sheet.name}!${cell}`);
      },
    };
    try {
      await readXmlPart(workbook.office, path, new ReferenceReader(names, report));
    } catch (error) {
      // Drawings of form controls are sometimes not well-formed XML. No other program reads them either.
      if (!(path.endsWith('.vml') && error instanceof FileError && error.reason === 'unreadable'))
        throw error;
      found.parts.delete(path);
    }
  }
  return found;
}
