import type { Finding } from '../document.ts';
import { attributeOf, type XmlStartTag } from './xml-reader.ts';

/** The maximum number of literals that are kept, and of those that the finding names. */
const maxLiterals = 10_000;
const maxNamed = 3;

/**
 * The texts in formulas, in conditional formats, in filters and in dropdown lists. They stay unchanged, so the comparison with a
 * cell has another result after the translation of the cell.
 */
export class ComparedTexts {
  readonly #literals = new Map<string, string>();

  addFormula(formula: string): void {
    for (const [, text = ''] of formula.matchAll(/"((?:[^"]|"")*)"/g)) this.#add(text.replaceAll('""', '"'));
  }

  /** Adds the entries of a dropdown list such as `"Yes,No"`. */
  addList(formula: string): void {
    for (const entry of formula.replace(/^\s*"|"\s*$/g, '').split(',')) this.#add(entry);
  }

  /** Adds a value of a filter. */
  addValue(value: string): void {
    this.#add(value);
  }

  addAll(other: ComparedTexts): void {
    for (const text of other.#literals.values()) this.#add(text);
  }

  /** A criterion such as `"<>Done*"` is compared with cells that contain `Done`. */
  #add(text: string): void {
    const plain = text.replace(/^(?:<>|[<>]?=?)\*?|\*$/g, '').trim();
    if (/\p{L}/u.test(plain) && this.#literals.size < maxLiterals) this.#literals.set(keyOf(plain), plain);
  }

  /** @param translated the texts of the cells that are translated */
  findings(translated: Iterable<string>): Finding[] {
    const found = new Map<string, string>();
    for (const text of translated) {
      const key = keyOf(text);
      if (this.#literals.has(key)) found.set(key, this.#literals.get(key)!);
    }
    if (found.size === 0) return [];
    const named = [...found.values()].slice(0, maxNamed).map((text) => `"${text}"`);
    const others = found.size > maxNamed ? `, and ${found.size - maxNamed} more` : '';
    const message = `formulas, conditional formats, filters or dropdown lists compare cells with texts that are translated only in the cells; check their results: ${named.join(', ')}${others}`;
    return [{ severity: 'warning', code: 'unsupported_content_kept', message, unitId: null }];
  }
}

/** Programs ignore case when they compare texts. */
function keyOf(text: string): string {
  return text.trim().toLowerCase();
}

/** The attributes with formulas and conditions, by the names of their elements. */
const formulas: Readonly<Record<string, string>> = {
  'table:table-cell': 'formula',
  'table:covered-table-cell': 'formula',
  'table:content-validation': 'condition',
  'table:named-expression': 'expression',
  'style:map': 'condition',
  'calcext:condition': 'value',
};
const filters: ReadonlySet<string> = new Set(['table:filter-condition', 'table:filter-set-item']);

/**
 * Adds the texts with which an element compares cells: in a formula, a condition, a filter or a dropdown list.
 *
 * @returns the entries of the dropdown list that the element is; otherwise none
 */
export function addCompared(compared: ComparedTexts, name: string, tag: XmlStartTag): string[] {
  if (filters.has(name)) {
    compared.addValue(attributeOf(tag, 'value') ?? '');
    return [];
  }
  const attribute = formulas[name];
  const formula = attribute && attributeOf(tag, attribute);
  if (!formula) return [];
  compared.addFormula(formula);
  if (name !== 'table:content-validation' || !formula.includes('cell-content-is-in-list(')) return [];
  return [...formula.matchAll(/"((?:[^"]|"")*)"/g)].map(([, text = '']) => text.replaceAll('""', '"'));
}
