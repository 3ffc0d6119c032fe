import { useNavigate } from '@tanstack/react-router';
import { type MessageId, useT } from '../../i18n.tsx';
import { useFormat } from '../../parts/format.ts';
import { useLanguages } from '../../parts/languages.tsx';
import styles from './inbox.module.css';
import type { InboxSearch } from './inbox-search.ts';
import { languagesOf, matches, pairOf, type Task } from './tasks.ts';

const choices: readonly { show?: 'mine' | 'free'; name: MessageId }[] = [
  { name: 'inbox.everything' },
  { show: 'mine', name: 'inbox.mine' },
  { show: 'free', name: 'inbox.free' },
];

/** Filters of the tasks, which are parameters of the URL. */
export function TaskFilter({ tasks, search }: { tasks: readonly Task[]; search: InboxSearch }) {
  const t = useT();
  const { number } = useFormat();
  const navigate = useNavigate();
  const { nameOf } = useLanguages();
  const { languages, show } = search;
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
  const ofLanguages = languages === undefined ? {} : { languages };
  return (
    <fieldset className={styles.filter}>
      <legend className="visually-hidden">{t('inbox.filter')}</legend>
      {choices.map(({ show: wanted, name }) => {
        const next = { ...ofLanguages, ...(wanted && { show: wanted }) };
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
          go({ ...(show && { show }), ...(value && { languages: value }) })
        }
      >
        <option value="">{t('inbox.all_languages')}</option>
        {[...pairs].map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
    </fieldset>
  );
}
