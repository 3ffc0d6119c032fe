import { Link, useNavigate } from '@tanstack/react-router';
import { ChevronLeft } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';
import { type MessageId, useT } from '../../i18n.tsx';
import { useFormat } from '../../parts/format.ts';
import { plainName } from '../../parts/language-text.tsx';
import { Read } from '../../parts/loading.tsx';
import { PageHead } from '../../parts/page-head.tsx';
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

/** The list to which a set belongs, and the name of the link there. */
const lists = {
  glossary: { to: '/app/glossaries', name: 'sets.all_glossaries', heading: 'common.glossaries' },
  memory: { to: '/app/memories', name: 'sets.all_memories', heading: 'common.memories' },
} as const satisfies Record<string, { to: string; name: MessageId; heading: MessageId }>;

type Kind = keyof typeof lists;

/** The screen of one set, or a message that the set does not exist. */
export function SetScreen<S extends TextSet>({
  kind,
  from,
  setId,
  children,
}: {
  kind: Kind;
  from: ComponentProps<typeof Read<readonly S[]>>['from'];
  setId: string;
  children: (set: S) => ReactNode;
}) {
  const t = useT();
  const { heading } = lists[kind];
  return (
    <Read from={from} lines={12} heading={heading}>
      {(sets) => {
        const set = sets.find(({ id }) => id === setId);
        if (set) return children(set);
        return (
          <>
            <title>{`${t(heading)} · LinguaLoop`}</title>
            <PageHead before={<BackLink kind={kind} />} title={t(heading)} />
            <p>{t('sets.gone')}</p>
          </>
        );
      }}
    </Read>
  );
}

function BackLink({ kind }: { kind: Kind }) {
  const t = useT();
  const { to, name } = lists[kind];
  return (
    <Link to={to} className={`button ghost ${styles.back}`} aria-label={t(name)} title={t(name)}>
      <ChevronLeft size={18} aria-hidden />
    </Link>
  );
}

/**
 * The title, heading and summary of a set.
 * @param size the number of its entries, as text
 * @param children the actions on the set
 */
export function SetSummary({
  kind,
  set,
  size,
  badge,
  children,
}: {
  kind: Kind;
  set: TextSet;
  size: string;
  badge?: ReactNode;
  children: ReactNode;
}) {
  const t = useT();
  const { moment } = useFormat();
  return (
    <>
      <title>{`${plainName(set.name)} · LinguaLoop`}</title>
      <PageHead before={<BackLink kind={kind} />} title={<bdi translate="no">{set.name}</bdi>} aside={badge}>
        {children}
      </PageHead>
      <div className={styles.summary}>
        <PairName source={set.source_lang} target={set.target_lang} />
        <span>{size}</span>
        <span className={styles.soft}>
          {t('sets.changed')} <time dateTime={set.updated_at}>{moment(set.updated_at)}</time>
        </span>
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
export function NoContent({ filter: { text, only }, hasMore }: { filter: ContentFilter; hasMore: boolean }) {
  const t = useT();
  return <p>{t(hasMore ? 'sets.none_so_far' : text || only ? 'sets.none_found' : 'sets.empty_set')}</p>;
}
