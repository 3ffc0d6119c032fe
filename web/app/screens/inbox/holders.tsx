import { useT } from '../../i18n.tsx';
import { useMe } from '../../session/use-me.ts';
import styles from './inbox.module.css';
import type { Task } from './tasks.ts';

/** The members who work on a task. */
export function Holders({ task: { holders, is_claimed } }: { task: Task }) {
  const t = useT();
  const me = useMe();
  const [first] = holders;
  const own = me.data ? me.data.user.email || me.data.user.user_id : '';
  const names = [...(is_claimed ? [own] : []), ...holders];
  if (names.length === 0)
    return (
      <span className={styles.holders} data-free>
        {t('inbox.no_holder')}
      </span>
    );
  return (
    <span className={styles.holders} title={holders.join(', ')}>
      {names.slice(0, 2).map((name, index) => (
        <span
          key={name}
          className={styles.avatar}
          translate="no"
          data-own={(is_claimed && index === 0) || undefined}
          aria-hidden
        >
          {[...name][0]?.toUpperCase()}
        </span>
      ))}
      <span>
        {is_claimed ? (
          t('inbox.you', { others: holders.length })
        ) : (
          <>
            <span translate="no" dir="ltr">
              {shortName(first)}
            </span>
            {holders.length > 1 && ` ${t('inbox.and_others', { others: holders.length - 1 })}`}
          </>
        )}
      </span>
    </span>
  );
}

/** The part of an email address before the domain: `translator@`. */
function shortName(name = ''): string {
  return name.replace(/(?<=.@).*$/, '');
}
