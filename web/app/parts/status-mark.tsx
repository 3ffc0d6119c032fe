/** The status of a segment, or the worst one of a group of segments. */
export type Status = 'todo' | 'draft' | 'confirmed' | 'warning' | 'critical' | 'rejected';

/** The color of each status. */
const colors: Record<Status, string> = {
  todo: 'var(--todo)',
  draft: 'var(--draft)',
  confirmed: 'var(--ok)',
  warning: 'var(--warn)',
  critical: 'var(--crit)',
  rejected: 'var(--ink-3)',
};

/**
 * The shape of a status: statuses differ without their color, too. Screen readers ignore it, so a text must stand next
 * to it.
 * @param size in pixels
 */
export function StatusMark({ status, size = 16 }: { status: Status; size?: number }) {
  return (
    <svg
      aria-hidden="true"
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      style={{ color: colors[status], flex: 'none' }}
    >
      <Shape status={status} />
    </svg>
  );
}

function Shape({ status }: { status: Status }) {
  const inner = { stroke: 'var(--surface)', strokeLinecap: 'round', strokeLinejoin: 'round' } as const;
  if (status === 'todo')
    return <circle cx="8" cy="8" r="5.6" stroke="currentColor" strokeWidth="1.6" strokeDasharray="2.4 2" />;
  if (status === 'draft')
    return (
      <>
        <circle cx="8" cy="8" r="5.6" stroke="currentColor" strokeWidth="1.6" />
        <path d="M8 3.6a4.4 4.4 0 0 1 0 8.8z" fill="currentColor" />
      </>
    );
  if (status === 'confirmed')
    return (
      <>
        <circle cx="8" cy="8" r="6.6" fill="currentColor" />
        <path d="m5 8.2 2.1 2.1L11.1 6" strokeWidth="1.7" {...inner} />
      </>
    );
  if (status === 'warning')
    return (
      <>
        <path
          d="M8 1.9 15 14H1z"
          fill="currentColor"
          stroke="currentColor"
          strokeWidth="1.2"
          strokeLinejoin="round"
        />
        <path d="M8 6.2v3.7M8 12v.1" strokeWidth="1.6" {...inner} />
      </>
    );
  if (status === 'critical')
    return (
      <>
        <path d="M5.2 1.2h5.6l4 4v5.6l-4 4H5.2l-4-4V5.2z" fill="currentColor" />
        <path d="M8 4.3v4.6M8 11.5v.1" strokeWidth="1.8" {...inner} />
      </>
    );
  return (
    <>
      <circle cx="8" cy="8" r="6" stroke="currentColor" strokeWidth="1.6" />
      <path d="m4.2 11.8 7.6-7.6" stroke="currentColor" strokeWidth="1.6" />
    </>
  );
}
