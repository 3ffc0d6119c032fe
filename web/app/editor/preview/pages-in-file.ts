import type { TenantDocumentJob } from '#sdk/types.ts';
import type { Side } from './preview-props.ts';

/**
 * Returns, for each page of the source, the number of its translated page in a file. A bilingual file has a page of the
 * source in front of each translated page; pages that were not selected occur once.
 *
 * @param count the number of pages in the file
 */
export function pagesInFile(
  { output, pages }: Pick<TenantDocumentJob['request'], 'output' | 'pages'>,
  side: Side,
  count: number,
): number[] {
  const isDoubled = (number: number) =>
    side === 'target' && output === 'bilingual' && isSelected(pages, number);
  const found: number[] = [];
  for (let last = 0; last < count; ) {
    last += isDoubled(found.length + 1) ? 2 : 1;
    found.push(last);
  }
  return found;
}

/** @param pages ranges such as `1-3`, `7` and `9-`; all pages if missing */
function isSelected(pages: string[] | null | undefined, number: number): boolean {
  if (!pages) return true;
  return pages.some((range) => {
    const [first, last = first] = range.split('-');
    return number >= Number(first) && (last === '' || number <= Number(last));
  });
}
