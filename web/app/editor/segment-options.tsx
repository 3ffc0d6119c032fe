import { useQuery } from '@tanstack/react-query';
import { client } from '../client.ts';
import { useT } from '../i18n.tsx';
import { useFormat } from '../parts/format.ts';
import { problemText } from '../parts/problem.tsx';
import { queryKeys } from '../query-keys.ts';
import { findingCategories, type SegmentFilter, segmentMatches } from './segment-filter.ts';

/** The filters whose options are counted when the reviewer opens them: findings, TM matches and reviewers. */
export default function SegmentOptions({
  documentId,
  filter,
  onChange,
}: {
  documentId: string;
  filter: SegmentFilter;
  onChange: <Name extends 'category' | 'match' | 'author'>(name: Name, value: SegmentFilter[Name]) => void;
}) {
  const t = useT();
  const { number } = useFormat();
  const { data, error } = useQuery({
    queryKey: [...queryKeys.documents.outline(documentId), 'options'],
    queryFn: ({ signal }) => client.documents.outline(documentId, { withOptions: true, signal }),
    staleTime: 0,
  });
  const counted = (name: string, count = 0) => (data ? `${name} (${number(count)})` : name);
  const { categories = [], matches = [], authors = [] } = data?.options ?? {};
  const names = new Set([...(filter.author ? [filter.author] : []), ...authors.map(({ author }) => author)]);
  return (
    <>
      {error && <p className="hint">{problemText(error, t)}</p>}
      <label>
        {t('editor.finding_kind')}
        <select
          value={filter.category ?? ''}
          onChange={({ target }) =>
            onChange(
              'category',
              findingCategories.find((one) => one === target.value),
            )
          }
        >
          <option value="">{t('editor.any')}</option>
          {findingCategories.map((one) => (
            <option key={one} value={one}>
              {counted(
                t(`jobs.category_${one}`),
                categories.find(({ category }) => category === one)?.segments,
              )}
            </option>
          ))}
        </select>
      </label>
      <label>
        {t('editor.match')}
        <select
          value={filter.match ?? ''}
          onChange={({ target }) =>
            onChange(
              'match',
              segmentMatches.find((one) => one === target.value),
            )
          }
        >
          <option value="">{t('editor.any')}</option>
          {segmentMatches.map((one) => (
            <option key={one} value={one}>
              {counted(t(`editor.match_${one}`), matches.find(({ match }) => match === one)?.segments)}
            </option>
          ))}
        </select>
      </label>
      {names.size > 0 && (
        <label>
          {t('editor.author')}
          <select
            value={filter.author ?? ''}
            onChange={({ target }) => onChange('author', target.value || undefined)}
          >
            <option value="">{t('editor.any')}</option>
            {[...names].map((name) => (
              <option key={name} value={name} translate="no">
                {counted(name, authors.find(({ author }) => author === name)?.segments)}
              </option>
            ))}
          </select>
        </label>
      )}
    </>
  );
}
