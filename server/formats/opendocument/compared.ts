import type { ComparedTexts } from '../office/compared-texts.ts';
import { attributeOf, type XmlStartTag } from '../office/xml-reader.ts';

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
