import styles from './avatar.module.css';

/** The first letter of a name in a disc, before the name. Screen readers read the name only. */
export function Avatar({ name }: { name: string }) {
  return (
    <i aria-hidden translate="no" className={styles['avatar']}>
      {[...name][0]?.toUpperCase()}
    </i>
  );
}
