import { decodeCellText } from './cell-text.ts';
import { type NewNames, nameKey } from './names.ts';

/** A formula with new names. */
interface NewFormula {
  text: string;
  /** Whether the formula makes references from texts, such that it may still contain an old name. */
  isUnsure: boolean;
}

/**
 * Returns a formula, as files contain it, in which the references to sheets and to columns of tables have the new names.
 * Everything else stays unchanged: texts, references to other workbooks, and what is not a formula.
 */
export function renameInFormula(formula: string, names: NewNames): NewFormula {
  if (formula.length > maxFormula) return { text: formula, isUnsure: true };
  return new FormulaWriter(formula, names).write();
}

/** The maximum length of a formula that is read, several times the maximum of Excel. */
const maxFormula = 65_536;

/** A name without quotes: the name of a sheet, a table or a function, or a reference such as `$A$1`. */
const bareName = /[^\s"'#&()*+,\-/:;<=>@[\]^{}!%|~]+/y;
const quotedName = /'[^']*(?:''[^']*)*'/y;
const literal = /"[^"]*(?:""[^"]*)*"/y;
const errorValue =
  /#(?:REF!|NULL!|DIV\/0!|VALUE!|NAME\?|NUM!|N\/A|GETTING_DATA|SPILL!|CALC!|FIELD!|BLOCKED!)/iy;
/** The index of another workbook, such as `[1]`. `[0]` is the own workbook. */
const bookIndex = /\[(\d+)\](?=['!]|[^\s"'#&()*+,\-/:;<=>@[\]^{}!%|~])/y;

/** The functions whose first argument is a reference as a text, each with what the text begins with. */
const textReferences: Readonly<Record<string, string>> = { INDIRECT: '', HYPERLINK: '#' };

interface Name {
  name: string;
  isQuoted: boolean;
  end: number;
}

class FormulaWriter {
  readonly #formula: string;
  readonly #names: NewNames;
  #at = 0;
  #copied = 0;
  #text = '';
  #isUnsure = false;
  /** Whether the next name follows a `!`. */
  #isAfterSheet = false;
  /** Whether the next name belongs to another workbook. */
  #isOther = false;
  /** The offset of the index of the own workbook before the next name, or -1. */
  #ownBook = -1;

  constructor(formula: string, names: NewNames) {
    this.#formula = formula;
    this.#names = names;
  }

  write(): NewFormula {
    const formula = this.#formula;
    while (this.#at < formula.length) {
      const character = formula[this.#at];
      const name = this.#nameAt(this.#at);
      if (name) {
        this.#reference(name);
        continue;
      }
      if (character !== '!') this.#isOther = false;
      this.#isAfterSheet = false;
      if (character === '"') this.#skip(literal);
      else if (character === '#') this.#skip(errorValue);
      else if (character === '[') this.#bracket();
      else this.#at++;
    }
    return { text: this.#text + formula.slice(this.#copied), isUnsure: this.#isUnsure };
  }

  #match(pattern: RegExp, at: number): RegExpExecArray | null {
    pattern.lastIndex = at;
    return pattern.exec(this.#formula);
  }

  /** Skips a token, or the rest of the formula if the token has no end. */
  #skip(pattern: RegExp): void {
    const found = this.#match(pattern, this.#at);
    if (found) this.#at += found[0].length;
    else this.#at = pattern === errorValue ? this.#at + 1 : this.#formula.length;
  }

  #replace(start: number, end: number, text: string): void {
    this.#text += this.#formula.slice(this.#copied, start) + text;
    this.#copied = end;
  }

  #nameAt(at: number): Name | undefined {
    const isQuoted = this.#formula[at] === "'";
    const found = this.#match(isQuoted ? quotedName : bareName, at);
    if (!found) return undefined;
    const [written] = found;
    const name = isQuoted ? written.slice(1, -1).replaceAll("''", "'") : written;
    return { name, isQuoted, end: at + written.length };
  }

  /** Reads a `[` that does not follow a name: the index of a workbook, or a reference to a column of the own table. */
  #bracket(): void {
    const index = this.#match(bookIndex, this.#at);
    if (index) {
      this.#isOther = Number(index[1]) > 0;
      this.#ownBook = this.#isOther ? -1 : this.#at;
      this.#at += index[0].length;
      return;
    }
    this.#at = this.#bracketEnd(this.#at) ?? this.#formula.length;
    this.#isUnsure ||= this.#names.renamesColumns;
  }

  /** Reads a name and what belongs to it: the other name of a range of sheets, a `!`, the columns of a table. */
  #reference(first: Name): void {
    const formula = this.#formula;
    const start = this.#at;
    const ownBook = this.#ownBook;
    this.#ownBook = -1;
    this.#at = first.end;
    const isAfterSheet = this.#isAfterSheet;
    this.#isAfterSheet = false;
    if (!isAfterSheet) {
      const last = this.#lastOfRange(first);
      const end = last?.end ?? first.end;
      if (formula[end] === '!') {
        const old = last ? [first.name, last.name] : [first.name];
        if (first.isQuoted && !last) this.#renameQuoted(first.name, start, end);
        else if (ownBook >= 0) this.#renameSheets(old, ownBook, end, '[0]');
        else if (!this.#isOther) this.#renameSheets(old, start, end);
        this.#at = end + 1;
        this.#isAfterSheet = true;
        return;
      }
    }
    const isOther = this.#isOther;
    this.#isOther = false;
    if (first.isQuoted) return;
    if (formula[first.end] === '[') {
      const end = this.#bracketEnd(first.end);
      if (!isOther && end !== undefined) this.#renameColumns(first.name, first.end, end);
      this.#at = end ?? formula.length;
    } else if (formula[first.end] === '(') this.#openFunction(first.name);
  }

  /** Returns the last name of a range of sheets, such as `Sheet1:Sheet3!`; undefined for another reference. */
  #lastOfRange(first: Name): Name | undefined {
    if (this.#formula[first.end] !== ':') return undefined;
    const last = this.#nameAt(first.end + 1);
    if (!last || this.#formula[last.end] !== '!') return undefined;
    if (this.#isOther) return last;
    // `A1:Sheet2!B2` is a range of cells: its first name is not that of a sheet.
    const isCell = !first.isQuoted && notSheet.test(first.name);
    return !isCell && this.#names.sheet(first.name) !== undefined ? last : undefined;
  }

  /** Renames the sheets in quotes, which may have the name or the index of a workbook: `'[1]Sheet 1:Sheet 3'`. */
  #renameQuoted(name: string, start: number, end: number): void {
    const bookEnd = name.lastIndexOf(']') + 1;
    const isOwn = bookEnd === 0 || name.startsWith('[0]');
    if (this.#isOther || !isOwn) {
      this.#isOther = true;
      return;
    }
    this.#renameSheets(name.slice(bookEnd).split(':'), start, end, name.slice(0, bookEnd));
  }

  #renameSheets(old: readonly string[], start: number, end: number, book = ''): void {
    const written: string[] = [];
    for (const name of old) {
      const next = this.#names.sheet(name);
      if (next === undefined) return;
      // Excel finds a sheet in any letter case.
      written.push(nameKey(next) === nameKey(name) ? name : next);
    }
    if (written.some((name, index) => name !== old[index]))
      this.#replace(start, end, sheetReference(written, book));
  }

  /**
   * Returns the offset after the bracket that closes the one at `start`; undefined if missing. An apostrophe escapes the
   * next character.
   */
  #bracketEnd(start: number): number | undefined {
    let depth = 0;
    for (let at = start; at < this.#formula.length; at++) {
      const character = this.#formula[at];
      if (character === "'") at++;
      else if (character === '[') depth++;
      else if (character === ']' && --depth === 0) return at + 1;
    }
    return undefined;
  }

  /** Renames the columns in the brackets after the name of a table: `[Price]`, `[[#This Row],[Price]:[Sum]]`. */
  #renameColumns(table: string, start: number, end: number): void {
    const content = this.#formula.slice(start + 1, end - 1);
    if (/^\s*\[|^\s*@\s*\[/.test(content)) {
      for (let at = start + 1; at < end - 1; at++) {
        if (this.#formula[at] !== '[') continue;
        const close = this.#bracketEnd(at)!;
        const column = this.#newColumn(table, this.#formula.slice(at + 1, close - 1));
        if (column !== undefined) this.#replace(at + 1, close - 1, escapeColumn(column));
        at = close - 1;
      }
      return;
    }
    const row = content.startsWith('@') ? 1 : 0;
    const column = this.#newColumn(table, content.slice(row));
    if (column === undefined) return;
    const escaped = escapeColumn(column);
    // At the edge of simple brackets, a space is not part of the name, and `@` stands for the row of the formula.
    const isSimple = row === 0 ? !/^[\s@]|\s$/.test(column) : /^[\p{L}\p{N}_]+$/u.test(column);
    this.#replace(start + 1 + row, end - 1, isSimple ? escaped : `[${escaped}]`);
  }

  #newColumn(table: string, written: string): string | undefined {
    if (written.startsWith('#')) return undefined;
    const old = written.replace(/'(.)/gs, '$1');
    for (const name of [old, old.trim(), decodeCellText(old)]) {
      const next = this.#names.column(table, name);
      if (next !== undefined) return next === name ? undefined : next;
    }
    return undefined;
  }

  /** Reads the first argument of a function that makes a reference from a text. */
  #openFunction(name: string): void {
    const begin = textReferences[name.toUpperCase()];
    if (begin === undefined) return;
    const start =
      this.#at + 1 + (/^\s*/.exec(this.#formula.slice(this.#at + 1, this.#at + 100))?.[0].length ?? 0);
    const written = this.#match(literal, start)?.[0];
    const text = written?.slice(1, -1).replaceAll('""', '"');
    if (begin !== '' && !text?.startsWith(begin)) return;
    const end = start + (written?.length ?? 0);
    if (
      written === undefined ||
      text === undefined ||
      !/^\s*[,)]/.test(this.#formula.slice(end, end + 100))
    ) {
      // A text without `!` at the beginning, as in `INDIRECT("B"&ROW())`, is the column of a cell of the same sheet.
      this.#isUnsure ||= begin !== '' || text === undefined || this.#formula.lastIndexOf('!') > start;
      return;
    }
    const next = renameInFormula(text.slice(begin.length), this.#names).text;
    if (next !== text.slice(begin.length))
      this.#replace(start, end, `"${(begin + next).replaceAll('"', '""')}"`);
    this.#at = end;
  }
}

/** A name that needs no quotes, and one of these that would be read as a reference to a cell or as a value. */
const plainSheet = /^[\p{L}_][\p{L}\p{N}_.]*$/u;
const notSheet = /^(?:[A-Z]{1,3}\d+|R\d*(?:C\d*)?|C\d*|TRUE|FALSE)$/i;

/**
 * Returns the reference to a sheet, or to a range of sheets, without `!`. LibreOffice cannot read quotes around a range of
 * sheets, although Excel writes them.
 */
export function sheetReference(names: readonly string[], book = ''): string {
  if (book === '' && names.every((name) => plainSheet.test(name) && !notSheet.test(name)))
    return names.join(':');
  return `'${(book + names.join(':')).replaceAll("'", "''")}'`;
}

/** Escapes the name of a column for brackets. */
function escapeColumn(name: string): string {
  return name.replace(/['#[\]]/g, "'$&");
}
