/*
 * Code of template languages in HTML files: PHP (`<?php … ?>`), `<% … %>`, `{% … %}`, `{# … #}` and `{{ … }}`. For the
 * HTML parser, a part of it would be text, and another part tags.
 */

/** A range of the source with template code. */
export interface TemplateCode {
  start: number;
  end: number;
  /** Whether the code inserts a value, such as `{{ name }}`. Other code, such as a condition, may not be moved. */
  isValue: boolean;
}

/** Code may compare values, as in `{% if total > 1 %}`, but has no tags. */
const inner = String.raw`[^{}<]*(?:<(?![a-z/!?])[^{}<]*)*`;
const openings = new RegExp(
  String.raw`<\?(?:php\b|=)|<%|\{\{-?\s*\/\*|\{#|\{\{${inner}\}\}|\{%${inner}%\}`,
  'gi',
);
const closings: Readonly<Record<string, string>> = { '<%': '%>', '<?': '?>', '{{': '}}', '{#': '#}' };

/** Returns the ranges of template code, in their order and without overlap. Code without an end stays text. */
export function findTemplateCode(source: string): TemplateCode[] {
  const found: TemplateCode[] = [];
  const missing = new Set<string>();
  let end = 0;
  for (const { index, 0: opening } of source.matchAll(openings)) {
    if (index < end) continue;
    if (opening.endsWith('}')) end = index + opening.length;
    else {
      const closing = closings[opening.slice(0, 2)]!;
      const at = missing.has(closing) ? -1 : source.indexOf(closing, index + opening.length);
      if (at < 0) {
        missing.add(closing);
        continue;
      }
      end = at + closing.length;
    }
    found.push({
      start: index,
      end,
      isValue: /^(?:\{\{-?(?!\s*\/\*)|<\?=|<%=)/.test(
        opening === '<%' ? source.slice(index, index + 3) : opening,
      ),
    });
  }
  return found;
}

/** Returns the source with spaces instead of template code, so that the positions stay the same. */
export function withoutTemplateCode(source: string, codes: readonly TemplateCode[]): string {
  let text = '';
  let copied = 0;
  for (const { start, end } of codes) {
    text += source.slice(copied, start) + ' '.repeat(end - start);
    copied = end;
  }
  return text + source.slice(copied);
}
