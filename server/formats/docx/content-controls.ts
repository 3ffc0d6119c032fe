import type { XmlStartTag } from '../office/xml-reader.ts';

/**
 * The properties of content controls whose text Word takes from elsewhere: from a list, a date, or data that the control
 * is bound to. When a file is opened or edited, Word replaces a translation by that value, so such a control is kept.
 */
const valueProperties = new Set(
  'dropDownList comboBox date picture dataBinding checkbox citation equation'.split(' '),
);

/** Whether the name is that of a property of a content control whose text Word takes from elsewhere. */
export function isValueProperty(local: string): boolean {
  return valueProperties.has(local);
}

/** Reads the `sdtPr` element of a content control. Its first event is the start tag of this element. */
export class ControlProperties {
  /** Whether the text of the control stays unchanged, because Word takes it from elsewhere. */
  hasValue = false;
  #depth = 0;

  open({ local }: XmlStartTag): void {
    if (++this.#depth === 2 && isValueProperty(local)) this.hasValue = true;
  }
  text(): void {}
  close(): void {
    this.#depth--;
  }
}
