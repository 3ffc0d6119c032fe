import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { MentionList } from '#sdk/workplace-types.ts';
import { client } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { useFormat } from '../../parts/format.ts';
import { queryKeys } from '../../query-keys.ts';
import styles from './inbox.module.css';

/** Days for which a mention is shown, and the number of mentions. */
const most = { days: 14, shown: 5 };

type Mention = MentionList['mentions'][number];

/** The latest comments that mention the member. Hidden without mentions, and if they cannot be loaded. */
export function Mentions() {
  const t = useT();
  const { moment } = useFormat();
  const [since] = useState(() => new Date(Date.now() - most.days * 86_400_000).toISOString());
  const { data } = useQuery({
    queryKey: queryKeys.reviews.mentions,
    queryFn: () => client.reviews.mentions({ since }),
    refetchInterval: 60_000,
  });
  const shown = data?.mentions.slice(0, most.shown) ?? [];
  if (shown.length === 0) return null;
  return (
    <section className={`card ${styles.mentions}`} aria-labelledby="mentions">
      <h2 id="mentions">{t('inbox.mentions')}</h2>
      <ul className="rows">
        {shown.map((mention) => (
          <li key={mention.comment_id}>
            <p className={styles.mentionOf}>
              <bdi translate="no">{mention.author}</bdi> · <ItemLink of={mention} /> ·{' '}
              <time dateTime={mention.created_at}>{moment(mention.created_at)}</time>
            </p>
            <p className={styles.mentionText} dir="auto" translate="no">
              {mention.body}
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}

function ItemLink({ of: { kind, id, item_name } }: { of: Mention }) {
  const name = <bdi translate="no">{item_name}</bdi>;
  return kind === 'document' ? (
    <Link to="/app/edit/documents/$documentId" params={{ documentId: id }}>
      {name}
    </Link>
  ) : (
    <Link to="/jobs/$jobId" params={{ jobId: id }}>
      {name}
    </Link>
  );
}
