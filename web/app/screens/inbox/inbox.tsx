import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Upload } from 'lucide-react';
import { type ReactNode, Suspense, useState } from 'react';
import type { OutputOf } from '#sdk/procedure-types.ts';
import { readAgain, useOwnProfile } from '../../assignments/assignments.ts';
import { loadWords, type MessageId, useT } from '../../i18n.tsx';
import { CommandKey } from '../../keys/command-key.tsx';
import { useCommands } from '../../keys/use-commands.ts';
import { Stack } from '../../kit/box.tsx';
import { Badge, Text } from '../../kit/text.tsx';
import { useFormat } from '../../parts/format.ts';
import { useLanguages } from '../../parts/languages.tsx';
import { lazily } from '../../parts/lazily.tsx';
import { Loading, Read } from '../../parts/loading.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { useInbox } from '../../parts/use-inbox.ts';
import { procedures } from '../../procedures.ts';
import { queryKeys } from '../../query-keys.ts';
import { isVisitor } from '../../session/keeper.ts';
import { isAdministrator, useMe } from '../../session/use-me.ts';
import styles from './inbox.module.css';
import type { InboxSearch, InboxView } from './inbox-search.ts';
import { TaskList } from './task-list.tsx';
import { addressOf } from './task-row.tsx';
import { languagesOf, matches, pairOf, type Task } from './tasks.ts';

const inboxViews: readonly InboxView[] = ['mine', 'all', 'members'];

const FirstSteps = lazily(async () => ({ default: (await import('./first-steps.tsx')).FirstSteps }));
const MyWork = lazily(async () => {
  const [view] = await Promise.all([import('./my-work.tsx'), loadWords('assignments')]);
  return { default: view.MyWork };
});
const ByMember = lazily(async () => {
  const [view] = await Promise.all([import('./by-member.tsx'), loadWords('assignments')]);
  return { default: view.ByMember };
});

/**
 * `/app`: the items that await review: the member's own, all of them in sections by severity, or by member. Without items,
 * the first steps in a new workspace. "My work" is the first view of members with languages.
 */
export function InboxScreen() {
  const t = useT();
  const navigate = useNavigate();
  const search = useSearch({ from: '/workspace/app' });
  // A member who returns from a review must not see the reviewed task.
  const inbox = useInbox({ refetchInterval: readAgain, staleTime: 0 });
  const me = useMe();
  const profile = useOwnProfile();
  const isAdmin = me.data !== undefined && isAdministrator(me.data);
  const hasLanguages = (profile.data?.languages.length ?? 0) > 0;
  const wanted = search.view ?? (hasLanguages ? 'mine' : 'all');
  const mayShow = inboxViews.includes(wanted) && (wanted !== 'members' || isAdmin);
  const view = mayShow && profile.data ? wanted : 'all';
  // The first view depends on the profile.
  const isKnown = isVisitor() || search.view === 'all' || profile.data !== undefined || profile.isError;
  const shown = inbox.data?.tasks.filter((task) => matches(task, search)) ?? [];
  const next = view === 'all' && isKnown ? shown[0] : undefined;
  useCommands(next ? { openNext: () => void navigate(addressOf(next)) } : {});
  return (
    <>
      <title>{`${t('common.home')} · LinguaLoop`}</title>
      <Head
        count={inbox.data?.tasks.length}
        next={next}
        views={isVisitor() ? undefined : <Views view={isKnown ? view : undefined} isAdmin={isAdmin} />}
      />
      <Read from={{ ...inbox, data: isKnown ? inbox.data : undefined }} lines={20}>
        {({ tasks, more }) =>
          view === 'mine' && profile.data ? (
            <Suspense fallback={<Loading lines={20} />}>
              <MyWork profile={profile.data} tasks={tasks} />
            </Suspense>
          ) : view === 'members' ? (
            <Suspense fallback={<Loading lines={20} />}>
              <ByMember />
            </Suspense>
          ) : tasks.length === 0 && !isVisitor() ? (
            <Suspense fallback={<Loading lines={20} />}>
              <FirstSteps />
            </Suspense>
          ) : (
            <>
              <TaskFilter tasks={tasks} search={search} />
              <TaskList tasks={shown} isCut={more.texts} />
              {(more.documents || more.texts) && <p className="hint">{t('inbox.more')}</p>}
            </>
          )
        }
      </Read>
      {!isVisitor() && <Mentions />}
    </>
  );
}

/** Links to the views. @param view undefined while the first view is not known */
function Views({ view, isAdmin }: { view: InboxView | undefined; isAdmin: boolean }) {
  const t = useT();
  return (
    <nav className="segmented" aria-label={t('inbox.views')}>
      {inboxViews
        .filter((one) => one !== 'members' || isAdmin)
        .map((one) => (
          <Link key={one} to="/app" search={{ view: one }} aria-current={one === view ? 'page' : undefined}>
            {t(`inbox.view_${one}`)}
          </Link>
        ))}
    </nav>
  );
}

/**
 * @param count the number of tasks; undefined until they are loaded
 * @param next the task that "Open next" opens
 * @param views the links to the views
 */
function Head({
  count,
  next,
  views,
}: {
  count: number | undefined;
  next: Task | undefined;
  views: ReactNode;
}) {
  const t = useT();
  return (
    <PageHead
      title={t('common.home')}
      aside={
        <>
          {count !== undefined && count > 0 && <Badge>{t('inbox.tasks', { count })}</Badge>}
          {views}
        </>
      }
    >
      {!isVisitor() && (
        <Link
          to="/app/translate"
          search={{ kind: 'file' }}
          className={`button ${styles.upload} ${count === 0 ? 'primary' : ''}`}
        >
          <Upload size={16} aria-hidden />
          {t('inbox.upload')}
        </Link>
      )}
      {next && (
        <Link {...addressOf(next)} className="button primary">
          {t('inbox.open_next')}
          <CommandKey id="openNext" isHidden />
        </Link>
      )}
    </PageHead>
  );
}

/** Days for which a mention is shown, and the number of mentions. */
const most = { days: 14, shown: 5 };

type Mention = OutputOf<'reviews.mentions'>['mentions'][number];

/** The latest comments that mention the member. Hidden without mentions, and if they cannot be loaded. */
function Mentions() {
  const t = useT();
  const { moment } = useFormat();
  const [since] = useState(() => new Date(Date.now() - most.days * 86_400_000).toISOString());
  const { data } = useQuery({
    queryKey: queryKeys.reviews.mentions,
    queryFn: () => procedures.reviews.mentions.query({ since }),
    refetchInterval: 60_000,
  });
  const shown = data?.mentions.slice(0, most.shown) ?? [];
  if (shown.length === 0) return null;
  return (
    <Stack as="section" aria-labelledby="mentions">
      <Text as="h2" size="sm" id="mentions">
        {t('inbox.mentions')}
      </Text>
      <ul className="rows">
        {shown.map((mention) => (
          <li key={mention.comment_id}>
            <Text as="p" size="xs" tone="faint">
              <bdi translate="no">{mention.author}</bdi> · <ItemLink of={mention} /> ·{' '}
              <time dateTime={mention.created_at}>{moment(mention.created_at)}</time>
            </Text>
            <div className={styles.mention} dir="auto" translate="no">
              {mention.body}
            </div>
          </li>
        ))}
      </ul>
    </Stack>
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

const choices: readonly { show?: InboxSearch['show'] & string; name: MessageId }[] = [
  { name: 'inbox.everything' },
  { show: 'mine', name: 'inbox.mine' },
  { show: 'unassigned', name: 'inbox.unassigned' },
  { show: 'overdue', name: 'inbox.overdue' },
];

/** Filters of the tasks, which are parameters of the URL. */
function TaskFilter({ tasks, search }: { tasks: readonly Task[]; search: InboxSearch }) {
  const t = useT();
  const { number } = useFormat();
  const navigate = useNavigate();
  const { nameOf } = useLanguages();
  const { languages, show, assignee } = search;
  const go = (next: InboxSearch) =>
    void navigate({
      to: '/app',
      search: { ...(search.view && { view: search.view }), ...next },
      replace: true,
      resetScroll: false,
    });
  const pairs = new Map(
    tasks.map((task) => {
      const { source_lang, target_lang } = pairOf(task);
      return [languagesOf(task), `${nameOf(source_lang)} → ${nameOf(target_lang)}`];
    }),
  );
  // The selected languages stay an option after their last task is completed.
  if (languages !== undefined && !pairs.has(languages)) pairs.set(languages, languages.replace(':', ' → '));
  const names = new Set([...tasks.flatMap(({ assignees }) => assignees), ...(assignee ? [assignee] : [])]);
  const selected = { ...(languages && { languages }), ...(assignee && { assignee }) };
  const shown = show ? { show } : {};
  return (
    <fieldset className="filter-bar">
      <legend className="visually-hidden">{t('inbox.filter')}</legend>
      {choices.map(({ show: wanted, name }) => {
        const next = { ...selected, ...(wanted && { show: wanted }) };
        return (
          <button
            key={name}
            type="button"
            className="chip"
            aria-pressed={show === wanted}
            onClick={() => go(next)}
          >
            {t(name)} <b>{number(tasks.filter((task) => matches(task, next)).length)}</b>
          </button>
        );
      })}
      <select
        className="chip"
        aria-label={t('inbox.languages')}
        data-chosen={languages !== undefined || undefined}
        value={languages ?? ''}
        onChange={({ target: { value } }) =>
          go({ ...shown, ...(assignee && { assignee }), ...(value && { languages: value }) })
        }
      >
        <option value="">{t('inbox.all_languages')}</option>
        {[...pairs].map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
      {names.size > 0 && (
        <select
          className="chip"
          aria-label={t('inbox.holders')}
          data-chosen={assignee !== undefined || undefined}
          value={assignee ?? ''}
          onChange={({ target: { value } }) =>
            go({ ...shown, ...(languages && { languages }), ...(value && { assignee: value }) })
          }
        >
          <option value="">{t('inbox.all_members')}</option>
          {[...names].toSorted().map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      )}
    </fieldset>
  );
}
