import { useNavigate } from '@tanstack/react-router';
import type { ComponentProps, ReactNode } from 'react';
import { type MessageId, useT } from '../../i18n.tsx';
import { useFormat } from '../../parts/format.ts';
import { plainName } from '../../parts/language-text.tsx';
import { Heading, Read } from '../../parts/loading.tsx';
import { ContentFilterFields } from './content-filter.tsx';
import { PairName } from './pair-name.tsx';
import type { ContentFilter } from './search.ts';
import styles from './sets.module.css';

/** A glossary or a TM. */
interface TextSet {
  id: string;
  name: string;
  source_lang: string | null;
  target_lang: string | null;
  updated_at: string;
}

/** The screen of one set, or a message that the set does not exist. @param back a link to the list of all sets */
export function SetScreen<S extends TextSet>({
  from,
  setId,
  heading,
  back,
  children,
}: {
  from: ComponentProps<typeof Read<readonly S[]>>['from'];
  setId: string;
  heading: MessageId;
  back: ReactNode;
  children: (set: S) => ReactNode;
}) {
  const t = useT();
  return (
    <>
      <p className={styles.back}>{back}</p>
      <Read from={from} lines={12} heading={heading}>
        {(sets) => {
          const set = sets.find(({ id }) => id === setId);
          if (set) return children(set);
          return (
            <>
              <Heading of={heading} />
              <p>{t('sets.gone')}</p>
            </>
          );
        }}
      </Read>
    </>
  );
}

/** The title, heading and summary of a set. @param size the number of its entries, as text */
export function SetSummary({
  set,
  size,
  badge,
  children,
}: {
  set: TextSet;
  size: string;
  badge?: ReactNode;
  children?: ReactNode;
}) {
  const t = useT();
  const { moment } = useFormat();
  return (
    <>
      <title>{`${plainName(set.name)} · LinguaLoop`}</title>
      <h1 className={styles.title}>
        <bdi translate="no">{set.name}</bdi>
      </h1>
      <div className={styles.summary}>
        {badge}
        <PairName source={set.source_lang} target={set.target_lang} />
        <span>{size}</span>
        <span className={styles.soft}>
          {t('sets.changed')} <time dateTime={set.updated_at}>{moment(set.updated_at)}</time>
        </span>
        {children}
      </div>
    </>
  );
}

/** The filter of a set's content. The URL of the screen contains it. */
export function SetFilter({
  to,
  setId,
  filter,
}: {
  to: '/app/glossaries/$setId' | '/app/memories/$setId';
  setId: string;
  filter: ContentFilter;
}) {
  const navigate = useNavigate();
  return (
    <ContentFilterFields
      filter={filter}
      onChange={(search) =>
        void navigate({ to, params: { setId }, search, replace: true, resetScroll: false })
      }
    />
  );
}

/** The message if a set, or a filter, has no content. @param hasMore whether further pages may have matches */
export function NoContent({ filter: { text }, hasMore }: { filter: ContentFilter; hasMore: boolean }) {
  const t = useT();
  return <p>{t(hasMore ? 'sets.none_so_far' : text ? 'sets.none_found' : 'sets.empty_set')}</p>;
}
