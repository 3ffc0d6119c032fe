/**
 * The shape of a translation in progress: a ring with a moving part. Screen readers ignore it, so a text must stand next
 * to it.
 * @param size in pixels
 */
export function Running({ size = 16 }: { size?: number }) {
  return (
    <svg aria-hidden="true" width={size} height={size} viewBox="0 0 16 16" fill="none">
      <circle cx="8" cy="8" r="5.8" stroke="var(--line-2)" strokeWidth="2" />
      <path d="M8 2.2a5.8 5.8 0 0 1 5.8 5.8" stroke="var(--petrol)" strokeWidth="2" strokeLinecap="round" />
    </svg>
  );
}
