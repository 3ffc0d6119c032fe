/** The logo: two arcs, one for the source and one for the translation, with the tail of a speech bubble. */
export function Logo({ size = 26 }: { size?: number }) {
  return (
    <svg
      aria-hidden="true"
      width={size}
      height={size}
      viewBox="0 0 28 28"
      fill="none"
      strokeWidth="3.6"
      strokeLinecap="round"
    >
      <path d="M5.6 10.2A9 9 0 0 1 21.4 8.2" stroke="var(--apricot)" />
      <path d="M4.9 15.2a9 9 0 0 0 15.7 3.9A9 9 0 0 0 22.9 13.4" stroke="var(--petrol)" />
      <path d="m19.8 20 3.6 4.2" stroke="var(--petrol)" />
    </svg>
  );
}
