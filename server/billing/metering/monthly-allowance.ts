/**
 * The monthly allowance. All figures are weighted characters.
 */
export interface AllowanceFigures {
  /** The tenant's `monthly_char_limit`. */
  monthlyLimit: number;
  /** The deployment's ceiling of any tenant's month. */
  ceiling: number;
  /**
   * Prepaid characters of the month: the balance, and the part that the current window has already taken, so that the
   * month's limit does not shrink as they are spent. Null if they do not count: billing off, or no current
   * subscription.
   */
  topUp: number | null;
  /** Recorded in the current window. */
  windowUsed: number;
  /** Recorded in the calendar month, under any plan. */
  monthUsed: number;
  /** Reserved by work in progress, not recorded yet. */
  inFlight: number;
}

/** Offers to the tenant, which decide what a rejection recommends. */
export interface Remedies {
  /** The subscription is current, and the pages for paying are open. */
  canChangePlan: boolean;
  /** A top-up Price is configured. */
  topUpSold: boolean;
}

/** The month's limit: the plan's characters, and as many prepaid ones as fit below the ceiling. */
export function effectiveLimit({ monthlyLimit, ceiling, topUp }: AllowanceFigures): number {
  return monthlyLimit + Math.min(Math.max(topUp ?? 0, 0), Math.max(0, ceiling - monthlyLimit));
}

/** The rest of the window or of the calendar month, whichever is less; below 0 if it is overdrawn. */
export function remainingAllowance(figures: AllowanceFigures): number {
  const { windowUsed, monthUsed, inFlight, ceiling } = figures;
  return Math.min(effectiveLimit(figures) - windowUsed, ceiling - monthUsed) - inFlight;
}

/**
 * Decides whether work of `chars` may start. Returns null if so, else the message of the response.
 * @param needed how many of them must be left of the allowance; the month's ceiling must have all of them left
 */
export function refuseByAllowance(
  figures: AllowanceFigures,
  remedies: Remedies,
  chars: number,
  needed = chars,
): string | null {
  const { windowUsed, monthUsed, inFlight, ceiling } = figures;
  const fits =
    windowUsed + inFlight + needed <= effectiveLimit(figures) && monthUsed + inFlight + chars <= ceiling;
  return fits ? null : `tenant usage limit exceeded${remedyOf(figures, remedies, chars)}`;
}

function remedyOf(figures: AllowanceFigures, { canChangePlan, topUpSold }: Remedies, chars: number): string {
  const { monthUsed, inFlight, ceiling, monthlyLimit } = figures;
  if (monthUsed + inFlight + chars > ceiling)
    return `: the deployment's ceiling of ${ceiling} characters a month is reached; contact the operator`;
  if (monthlyLimit >= ceiling) return ': contact the operator';
  if (!canChangePlan) return '';
  const upgrade =
    'upgrade at /billing for immediate effect, counted from the upgrade (a downgrade applies at renewal)';
  return topUpSold ? `: buy a top-up at /billing, or ${upgrade}` : `: ${upgrade}`;
}
