import type { SegmentKind } from '../document.ts';
import { plainText } from '../inline-content.ts';
import type { MarkupText } from '../markup/markup-places.ts';
import { withoutForbidden } from '../office/splice.ts';
import { escapeAttribute, type TextAttribute } from '../office/xml-reader.ts';

/** An attribute whose text is translated, and its place for a reviewer. */
export interface AttributeText extends TextAttribute {
  kind: SegmentKind;
  place: string;
  page: number | undefined;
  cellId?: string;
}

/** An attribute that a program shows. */
interface VisibleAttribute {
  local: string;
  /** Describes the text to a reviewer. */
  place: string;
  /** The reason why the text stays, if it does. */
  reason?: string;
}

const listLabel: readonly VisibleAttribute[] = [
  { local: 'num-prefix', place: 'list label' },
  { local: 'num-suffix', place: 'list label' },
];
const message: readonly VisibleAttribute[] = [{ local: 'title', place: 'title of a validation message' }];
const control: readonly VisibleAttribute[] = [
  { local: 'label', place: 'form control' },
  { local: 'title', place: 'help of a form control' },
];
const input: readonly VisibleAttribute[] = [
  ...control,
  { local: 'value', place: 'form control' },
  { local: 'current-value', place: 'form control' },
];
const prompt: readonly VisibleAttribute[] = [{ local: 'description', place: 'prompt of a field' }];
// Fields show these texts under conditions.
const alternative = (local: string): VisibleAttribute => ({ local, place: '', reason: 'fields' });

const visible: Readonly<Record<string, readonly VisibleAttribute[]>> = {
  'table:help-message': message,
  'table:error-message': message,
  'form:text': input,
  'form:textarea': input,
  'form:combobox': input,
  'text:list-level-style-number': listLabel,
  'text:list-level-style-bullet': listLabel,
  'text:outline-level-style': listLabel,
  'text:placeholder': prompt,
  'text:text-input': prompt,
  'text:label': [{ local: 'value', place: '', reason: 'dropdown_lists' }],
  'text:conditional-text': [alternative('string-value-if-true'), alternative('string-value-if-false')],
  'text:hidden-text': [alternative('string-value')],
  'text:a': [{ local: 'title', place: 'title of a link' }],
};

/** Returns the attributes of an element that a program shows. */
export function visibleAttributes(name: string): readonly VisibleAttribute[] {
  return visible[name] ?? (name.startsWith('form:') ? control : []);
}

/** Returns the text of an attribute as a place that a translation replaces. */
export function markupOfAttribute(text: AttributeText, offset: number): MarkupText {
  const { kind, place, page, cellId, quote } = text;
  const [before, after] = [/^\s*/, /\s*$/].map((space) => escapeAttribute(space.exec(text.text)![0]));
  return {
    start: offset + text.valueStart,
    end: offset + text.end - 1,
    source: [text.text.trim()],
    tags: new Map(),
    kind,
    name: '',
    place,
    ...(page !== undefined && { page }),
    ...(cellId !== undefined && { cellId }),
    write: (target) => {
      const written = escapeAttribute(withoutForbidden(plainText(target)));
      return before + (quote === "'" ? written.replaceAll("'", '&apos;') : written) + after;
    },
  };
}
