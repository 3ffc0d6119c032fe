import styles from './avatar.module.css';

/**
 * The first letter of a name in a disc, before the name. Screen readers read the name only.
 * @param isOpen adds a dot: the person works on the item now
 */
export function Avatar({
  name,
  isOpen,
  isSmall,
}: {
  name: string;
  isOpen?: boolean | undefined;
  isSmall?: boolean;
}) {
  return (
    <i
      aria-hidden
      translate="no"
      className={styles['avatar']}
      data-open={isOpen || undefined}
      data-small={isSmall}
    >
      {[...name][0]?.toUpperCase()}
    </i>
  );
}
