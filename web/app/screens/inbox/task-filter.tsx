import { useNavigate } from '@tanstack/react-router';
import { type MessageId, useT } from '../../i18n.tsx';
import { useFormat } from '../../parts/format.ts';
import { useLanguages } from '../../parts/languages.tsx';
import styles from './inbox.module.css';
import type { InboxSearch } from './inbox-search.ts';
import { languagesOf, matches, pairOf, type Task } from './tasks.ts';

const choices: readonly { show?: InboxSearch['show'] & string; name: MessageId }[] = [
  { name: 'inbox.everything' },
  { show: 'mine', name: 'inbox.mine' },
  { show: 'unassigned', name: 'inbox.unassigned' },
  { show: 'overdue', name: 'inbox.overdue' },
];

/** Filters of the tasks, which are parameters of the URL. */
export function TaskFilter({ tasks, search }: { tasks: readonly Task[]; search: InboxSearch }) {
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
    <fieldset className={styles.filter}>
      <legend className="visually-hidden">{t('inbox.filter')}</legend>
      {choices.map(({ show: wanted, name }) => {
        const next = { ...selected, ...(wanted && { show: wanted }) };
        return (
          <button
            key={name}
            type="button"
            className={styles.chip}
            aria-pressed={show === wanted}
            onClick={() => go(next)}
          >
            {t(name)} <b>{number(tasks.filter((task) => matches(task, next)).length)}</b>
          </button>
        );
      })}
      <select
        className={styles.chip}
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
          className={styles.chip}
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
