import { isCodeValue, isNamedAttribute, isTextAttribute, type OwnNames } from '../markup/visible-names.ts';

const names = (list: string): ReadonlySet<string> => new Set(list.split(' '));

const translatable = names(
  'alt title placeholder aria-label aria-description aria-placeholder aria-roledescription aria-valuetext',
);
const withLabel = names('optgroup option track');
const buttons = names('submit button reset');
const metaNames = names(
  'description og:title og:description og:image:alt twitter:title twitter:description twitter:image:alt',
);

/**
 * Whether readers see the value of an attribute of an element of HTML. Of a custom element, the name of the attribute decides
 * as for components; the workspace's own names count for all elements.
 *
 * @param attributeOf returns the value of another attribute of the element; empty if it has none
 */
export function isVisibleAttribute(
  tagName: string,
  { name, value }: { name: string; value: string },
  attributeOf: (name: string) => string,
  own: OwnNames,
): boolean {
  return (
    translatable.has(name) ||
    (name === 'label' && withLabel.has(tagName)) ||
    (name === 'summary' && tagName === 'table') ||
    (name === 'value' && tagName === 'input' && buttons.has(attributeOf('type').toLowerCase())) ||
    (name === 'content' &&
      tagName === 'meta' &&
      metaNames.has((attributeOf('name') || attributeOf('property')).toLowerCase())) ||
    ((tagName.includes('-')
      ? isTextAttribute(name, own)
      : tagName !== 'meta' && isNamedAttribute(own, name)) &&
      !isCodeValue(value))
  );
}
