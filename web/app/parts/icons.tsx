/** The icons' shapes: paths on a grid of 24 units, stroked in the color of the text. */
const shapes = {
  add: 'M12 5v14M5 12h14',
  addTerm: 'M5 20V5a2 2 0 0 1 2-2h12v18H7a2 2 0 0 1 0-4h12M12 7v6M9 10h6',
  check: 'm5 12.5 4.5 4.5L19 7.5',
  close: 'm6 6 12 12M18 6 6 18',
  copy: 'M9 9h11v11H9zM15 9V4H4v11h5',
  delete: 'M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5',
  download: 'M12 4v11m-5-5 5 5 5-5M4 20h16',
};

/** An icon next to text, or in a button with a label: screen readers ignore it. @param size in pixels */
export function Icon({ of, size = 16 }: { of: keyof typeof shapes; size?: number }) {
  return (
    <svg
      aria-hidden="true"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path d={shapes[of]} />
    </svg>
  );
}
