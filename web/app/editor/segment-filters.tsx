import { Suspense } from 'react';
import type { DocumentOutline } from '#sdk/types.ts';
import { type MessageId, useT } from '../i18n.tsx';
import { useFormat } from '../parts/format.ts';
import { plainName } from '../parts/language-text.tsx';
import { lazily } from '../parts/lazily.tsx';
import { MoreFilters } from './more-filters.tsx';
import { type SegmentFilter, segmentKinds } from './segment-filter.ts';

const SegmentOptions = lazily(() => import('./segment-options.tsx'));

/** The checkboxes among the filters, with the value of the filter that each selects. */
const checks = [
  ['flagged', true, 'documents.flagged'],
  ['corrected', true, 'documents.corrected'],
  ['confirmed', false, 'documents.hide_confirmed'],
] as const satisfies readonly [keyof SegmentFilter, boolean, MessageId][];

/** The filters of a document's segments by kind, by page, and by what was decided. They are part of the URL. */
export function SegmentFilters({
  documentId,
  outline,
  filter,
  onChange,
}: {
  documentId: string;
  outline: DocumentOutline | undefined;
  filter: SegmentFilter;
  onChange: (filter: SegmentFilter) => void;
}) {
  const t = useT();
  const { number } = useFormat();
  const kindName = (kind: string) => {
    const known = segmentKinds.find((one) => one === kind);
    return known ? t(`documents.kind_${known}`) : kind;
  };
  const pages = outline?.pages.filter(({ page }) => page !== null) ?? [];
  const pageName = (page: number) => {
    const sheet = pages.find((one) => one.page === page)?.sheet;
    return sheet ? plainName(sheet) : t('documents.page_n', { page });
  };
  const set = <Name extends keyof SegmentFilter>(name: Name, value: SegmentFilter[Name]) => {
    const { [name]: _, ...others } = filter;
    onChange(value === undefined ? others : { ...others, [name]: value });
  };
  const selected = [
    ...(filter.kind ? [{ name: 'kind' as const, label: kindName(filter.kind) }] : []),
    ...(filter.page ? [{ name: 'page' as const, label: pageName(filter.page) }] : []),
    ...(filter.category ? [{ name: 'category' as const, label: t(`jobs.category_${filter.category}`) }] : []),
    ...(filter.match
      ? [{ name: 'match' as const, label: `${t('editor.match')}: ${t(`editor.match_${filter.match}`)}` }]
      : []),
    ...(filter.author ? [{ name: 'author' as const, label: filter.author }] : []),
    ...checks
      .filter(([name]) => filter[name] !== undefined)
      .map(([name, , label]) => ({ name, label: t(label) })),
  ];
  return (
    <MoreFilters selected={selected.map((one) => ({ ...one, remove: () => set(one.name, undefined) }))}>
      <label>
        {t('documents.kind')}
        <select
          value={filter.kind ?? ''}
          onChange={({ target }) =>
            set(
              'kind',
              segmentKinds.find((kind) => kind === target.value),
            )
          }
        >
          <option value="">{t('documents.all_kinds')}</option>
          {outline?.kinds.map(({ kind, segments }) => (
            <option key={kind} value={kind}>{`${kindName(kind)} (${number(segments)})`}</option>
          ))}
        </select>
      </label>
      {pages.length > 0 && (
        <label>
          {t('documents.page')}
          <select
            value={filter.page ?? ''}
            onChange={({ target }) => set('page', Number(target.value) || undefined)}
          >
            <option value="">{t('documents.all_pages')}</option>
            {pages.map(({ page, sheet, segments }) => (
              <option key={page} value={page ?? ''} translate={sheet === null ? undefined : 'no'}>
                {`${pageName(page ?? 0)} (${number(segments)})`}
              </option>
            ))}
          </select>
        </label>
      )}
      <Suspense>
        <SegmentOptions documentId={documentId} filter={filter} onChange={set} />
      </Suspense>
      {checks.map(([name, value, label]) => (
        <label key={name} className="check">
          <input
            type="checkbox"
            checked={filter[name] === value}
            onChange={({ target }) => set(name, target.checked ? value : undefined)}
          />{' '}
          {t(label)}
        </label>
      ))}
    </MoreFilters>
  );
}
