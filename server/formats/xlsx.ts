import type {
  ExtractedDocument,
  Finding,
  RebuildOptions,
  RebuiltDocument,
  Segment,
  SegmentTranslation,
  TakeText,
} from './document.ts';
import { withFileErrors } from './office/package.ts';
import { type PartContent, rewritePackage } from './office/rewrite-package.ts';
import { SegmentBudget } from './segment-budget.ts';
import { classOf, type Includable, type Selection } from './selection.ts';
import { countCharacters, type KeptClass, TextTally } from './text-tally.ts';
import { directionChange } from './typesetting/languages.ts';
import { type CellPosition, writeReference } from './xlsx/cell-reference.ts';
import { CellTargets } from './xlsx/cell-targets.ts';
import { cellTextLimit, splitText } from './xlsx/cell-text.ts';
import { KeptContent } from './xlsx/kept-content.ts';
import { type PartEditor, readXmlPart, rewriteXmlPart } from './xlsx/part-stream.ts';
import { listTextParts, type PartText, PartTextReader, type TextPart } from './xlsx/part-texts.ts';
import { repoint, rewriteSharedStrings, rewriteTable, setOwnText } from './xlsx/rewrite-parts.ts';
import { SharedStringPlan } from './xlsx/shared-string-plan.ts';
import { SharedStrings } from './xlsx/shared-strings.ts';
import { withDirection } from './xlsx/sheet-direction.ts';
import type { Cell } from './xlsx/sheet-reader.ts';
import { selectSheets } from './xlsx/sheet-selection.ts';
import { SheetTables, type TotalsLabel } from './xlsx/tables.ts';
import { readTextCells, type TextCellVisitor, textCellReader } from './xlsx/text-cells.ts';
import { openWorkbook, type Sheet, type Workbook } from './xlsx/workbook.ts';

/**
 * Checks a file before a job is created: all limits except those on the number and length of texts, and whether all
 * parts that are read are valid. This takes as long as `extract`.
 *
 * @throws {FileError} `protected`, `too_large` or `unreadable`
 */
export function check(
  bytes: Uint8Array,
  take: TakeText = () => false,
  { pages }: Selection = {},
): Promise<void> {
  let wanted = true;
  return withFileErrors(async () => {
    const { workbook, strings } = await open(bytes);
    await new KeptContent().read(workbook);
    for (const sheet of selectSheets(workbook.sheets, pages))
      await readTextCells(workbook, sheet, strings, await SheetTables.read(workbook.office, sheet.path), {
        text: (_cell, _, text) => {
          wanted = wanted && take(text());
        },
      });
  });
}

/**
 * Lists the texts of a workbook's cells. Excludes cells with a formula, headers of Excel Tables, and texts without a
 * letter. White space around a text is not part of the segment.
 *
 * @throws {FileError} `protected`, `too_large` or `unreadable`
 */
export function extract(
  bytes: Uint8Array,
  { pages, include = [] }: Selection = {},
): Promise<ExtractedDocument> {
  return withFileErrors(async () => {
    const { workbook, strings } = await open(bytes);
    const segments: Segment[] = [];
    const findings: Finding[] = [];
    const budget = new SegmentBudget();
    const kept = new KeptContent();
    const selected = selectSheets(workbook.sheets, pages);
    const left = selectSheets(workbook.sheets, undefined).filter((sheet) => !selected.includes(sheet));
    const tally = new TextTally();
    let read = 0;
    let accounted = 0;
    const keep = (kind: KeptClass, reason: string, characters: number): void => {
      accounted += characters;
      if (characters > 0) tally.keep(kind, reason, characters);
    };
    for (const sheet of left)
      await readTextCells(workbook, sheet, strings, await SheetTables.read(workbook.office, sheet.path), {
        text: () => {},
        outcome: (_, characters) => {
          read += characters;
          keep('not_selected', 'pages', characters);
        },
      });
    for (const sheet of selected) {
      const tables = await SheetTables.read(workbook.office, sheet.path);
      const summary = await readTextCells(workbook, sheet, strings, tables, {
        text: (cell, _, text) => {
          const { source } = splitText(text());
          budget.add(source);
          const reference = writeReference(cell);
          segments.push({
            regionId: sheet.regionId,
            cellId: reference,
            kind: 'cell',
            page: sheet.number,
            place: `${sheet.name}!${reference}`,
            source: [source],
          });
          accounted += countCharacters(source);
        },
        outcome: (outcome, characters) => {
          read += characters;
          if (outcome !== 'segment') keep(classOf('xlsx', outcome), outcome, characters);
        },
      });
      kept.addSheet(summary);
      findings.push(...tables.findings());
    }
    const parts = await includedParts(workbook, selected, pages, include);
    await kept.read(workbook, new Set(parts.map(({ path }) => path)));
    for (const part of parts)
      await readXmlPart(
        workbook.office,
        part.path,
        new PartTextReader(part.rule, ({ number, text, reference }) => {
          const { source } = splitText(text);
          budget.add(source);
          const place = reference === undefined ? part.place : `${part.place} ${reference}`;
          segments.push({
            regionId: part.regionId,
            cellId: `t${number}`,
            kind: 'text_block',
            page: part.sheet.number,
            place,
            source: [source],
          });
          return undefined;
        }),
      );
    findings.push(...kept.findings());
    kept.tally(tally);
    for (const { name } of workbook.sheets)
      tally.keep(classOf('xlsx', 'sheet_names'), 'sheet_names', countCharacters(name));
    tally.check(read, accounted);
    if (left.length > 0) findings.push(notSelected(left));
    if (workbook.isSigned) findings.push(signatureFinding);
    if (segments.length === 0)
      findings.push({
        severity: 'info',
        code: 'no_translatable_text',
        message: 'the workbook has no cell with text to translate',
        unitId: null,
      });
    return { segments, pageCount: workbook.sheets.length, findings, outcome: tally.outcome() };
  });
}

function notSelected(left: readonly Sheet[]): Finding {
  const message = `${left.length === 1 ? '1 sheet is' : `${left.length} sheets are`} not selected; the text stays unchanged`;
  return { severity: 'info', code: 'not_selected', message, unitId: null };
}

const signatureFinding: Finding = {
  severity: 'warning',
  code: 'unsupported_content_kept',
  message: 'the file is signed, but the signature does not apply to the translation',
  unitId: null,
};

/**
 * Returns a copy of a workbook with the translations in its cells. A cell stays unchanged if it has no translation, or
 * if its translation equals its text. XML parts in which nothing changes are copied byte for byte.
 *
 * @throws {FileError} as `extract` does
 * @throws {RangeError} if a translation has the key of no segment of the workbook
 */
export function rebuild(
  bytes: Uint8Array,
  translations: readonly SegmentTranslation[],
  { pages, include = [], sourceLanguage, targetLanguage }: RebuildOptions,
): Promise<RebuiltDocument> {
  return withFileErrors(async () => {
    const direction = directionChange(sourceLanguage, targetLanguage);
    /** The numbers of the sheets whose direction changes, because they have a translation. */
    const turnedSheets = new Set<number>();
    const { workbook, strings } = await open(bytes);
    const targets = new CellTargets(translations);
    const plan = new SharedStringPlan(strings);
    const findings: Finding[] = [];
    const changedSheets = new Set<number>();
    const labels = new Map<string, Map<number, string>>();
    /** The translations of cells, by their old texts, for the copies in charts. */
    const copied = new Map<string, string>();
    const selected = selectSheets(workbook.sheets, pages);
    for (const sheet of selectSheets(workbook.sheets, undefined)) {
      const tables = await SheetTables.read(workbook.office, sheet.path);
      if (!selected.includes(sheet)) {
        // The shared strings of this sheet keep their texts and indexes, so that the sheet stays unchanged.
        const pin = (_: Cell, index: number | undefined) => index !== undefined && plan.pin(index);
        await readTextCells(workbook, sheet, strings, tables, {
          text: pin,
          header: pin,
          formulaResult: (index) => plan.pin(index),
        });
        continue;
      }
      await readTextCells(workbook, sheet, strings, tables, {
        text: (cell, index, text) => {
          const old = text();
          const next = targets.textOf(sheet, cell, old);
          if (next.isCut) findings.push(truncated(sheet, cell));
          if (next.text !== old) {
            if (include.includes('charts')) copied.set(old, next.text);
            changeLabel(labels, tables.totalsLabel(cell, old), next.text);
            if (direction !== 'kept') turnedSheets.add(sheet.number);
          }
          if (index !== undefined) plan.use(index, next.text, sheet.number);
          else if (next.text !== old) changedSheets.add(sheet.number);
        },
        header: (_, index) => {
          if (index !== undefined) plan.use(index, strings.textOf(index), sheet.number);
        },
        formulaResult: (index) => plan.pin(index),
      });
    }
    const parts = new Map<string, PartContent>();
    for (const part of await includedParts(workbook, selected, pages, include))
      await changePart(workbook, part, { targets, copied, parts });
    targets.requireAllUsed();
    plan.decide(new Set([...changedSheets, ...turnedSheets]));

    let unformatted = 0;
    const formatLost = (): void => {
      unformatted++;
    };
    const { office, sharedStrings } = workbook;
    if (sharedStrings !== undefined && (plan.changed.size > 0 || plan.appended.length > 0))
      parts.set(sharedStrings, () => rewriteSharedStrings(office, sharedStrings, strings, plan, formatLost));
    for (const sheet of selected) {
      const sets = [changedSheets, plan.repointedSheets, turnedSheets];
      if (!sets.some((numbers) => numbers.has(sheet.number))) continue;
      const change = turnedSheets.has(sheet.number) ? direction : 'kept';
      const tables = await SheetTables.read(office, sheet.path);
      parts.set(sheet.path, () =>
        rewriteXmlPart(office, sheet.path, (editor) => {
          const texts = setTexts(sheet, strings, targets, plan, editor, formatLost);
          return withDirection(textCellReader(strings, tables, texts, editor), editor, change);
        }),
      );
    }
    for (const [path, ofTable] of labels) parts.set(path, () => rewriteTable(office, path, ofTable));
    if (parts.size === 0) return { bytes, findings };
    const translated = await rewritePackage(bytes, parts);
    if (unformatted > 0) findings.push(formattingLost(unformatted));
    return { bytes: translated, findings };
  });
}

function formattingLost(texts: number): Finding {
  const message = `in ${texts === 1 ? '1 text' : `${texts} texts`} of cells, some words of the translation do not have the formatting of the source`;
  return { severity: 'info', code: 'formatting_lost', message, unitId: null };
}

/**
 * Records the new text of a label in the totals row of a table. The texts are stored by the table's part and by the
 * column.
 */
function changeLabel(
  labels: Map<string, Map<number, string>>,
  label: TotalsLabel | undefined,
  text: string,
): void {
  if (!label) return;
  const ofTable = labels.get(label.path);
  if (ofTable) ofTable.set(label.column, text);
  else labels.set(label.path, new Map([[label.column, text]]));
}

/** Returns a visitor that writes the new texts while a sheet is copied. */
function setTexts(
  sheet: Sheet,
  strings: SharedStrings,
  targets: CellTargets,
  plan: SharedStringPlan,
  editor: PartEditor,
  formatLost: () => void,
): TextCellVisitor {
  const point = (cell: Cell, index: number, text: string): void => {
    const next = plan.indexOf(index, text);
    if (next !== index) repoint(editor, cell, next);
  };
  return {
    text: (cell, index, text) => {
      const old = text();
      const next = targets.textOf(sheet, cell, old).text;
      if (index !== undefined) point(cell, index, next);
      else if (next !== old && setOwnText(editor, cell, next)) formatLost();
    },
    header: (cell, index) => {
      if (index !== undefined) point(cell, index, strings.textOf(index));
    },
  };
}

/**
 * Lists the parts whose texts the request includes, each with its sheet. A chart sheet belongs to the parts only if the
 * request selects no sheets.
 */
async function includedParts(
  { office, sheets }: Workbook,
  selected: readonly Sheet[],
  pages: readonly string[] | undefined,
  include: readonly Includable[],
): Promise<(TextPart & { sheet: Sheet })[]> {
  const parts: (TextPart & { sheet: Sheet })[] = [];
  const seen = new Set<string>();
  for (const sheet of pages ? selected : sheets)
    for (const part of await listTextParts(office, sheet, include)) {
      if (seen.has(part.path)) continue;
      seen.add(part.path);
      parts.push({ ...part, sheet });
    }
  return parts;
}

/** Records the new content of a part in `parts` if one of its texts changes. */
async function changePart(
  { office }: Workbook,
  { path, regionId, rule }: TextPart,
  {
    targets,
    copied,
    parts,
  }: { targets: CellTargets; copied: ReadonlyMap<string, string>; parts: Map<string, PartContent> },
): Promise<void> {
  const textOf = ({ number, text }: PartText) => targets.partTextOf(regionId, `t${number}`, text);
  const cachedOf = (text: string) => copied.get(text);
  let changes = false;
  const noting =
    <T>(next: (text: T) => string | undefined) =>
    (text: T) => {
      if (next(text) !== undefined) changes = true;
      return undefined;
    };
  // The first reading marks the translations as used, because the part is written only later.
  await readXmlPart(office, path, new PartTextReader(rule, noting(textOf), { cached: noting(cachedOf) }));
  if (changes)
    parts.set(path, () =>
      rewriteXmlPart(
        office,
        path,
        (editor) => new PartTextReader(rule, textOf, { editor, cached: cachedOf }),
      ),
    );
}

async function open(bytes: Uint8Array): Promise<{ workbook: Workbook; strings: SharedStrings }> {
  const workbook = await openWorkbook(bytes);
  return { workbook, strings: await SharedStrings.read(workbook.office, workbook.sharedStrings) };
}

function truncated({ name }: Sheet, cell: CellPosition): Finding {
  const reference = writeReference(cell);
  return {
    severity: 'warning',
    code: 'text_truncated',
    message: `the translation of ${name}!${reference} is longer than the ${cellTextLimit.toLocaleString('en-US')} characters that a cell can hold, and was cut`,
    unitId: reference,
  };
}
