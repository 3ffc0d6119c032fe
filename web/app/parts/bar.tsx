import styles from './bar.module.css';

/**
 * A bar that shows a part of an amount.
 * @param labelledBy the id of a text about the amount; without it, screen readers ignore the bar, so that the amount must
 * stand next to it
 */
export function Bar({
  value,
  max,
  labelledBy,
  className = '',
}: {
  value: number;
  max: number;
  labelledBy?: string;
  className?: string | undefined;
}) {
  const share = max > 0 ? Math.min(1, Math.max(0, value / max)) : 0;
  const meter = {
    role: 'meter',
    'aria-labelledby': labelledBy,
    'aria-valuemin': 0,
    'aria-valuemax': Math.max(1, max),
    'aria-valuenow': Math.min(value, max),
  };
  return (
    <span className={`${styles['bar']} ${className}`} {...(labelledBy ? meter : { 'aria-hidden': true })}>
      {share > 0 && (
        <i data-high={(labelledBy && share >= 0.9) || undefined} style={{ inlineSize: `${share * 100}%` }} />
      )}
    </span>
  );
}
