/**
 * The monthly allowance. All figures are weighted characters.
 */
export interface AllowanceFigures {
  /** The tenant's `monthly_char_limit`. */
  monthlyLimit: number;
  /** The highest monthly usage that the deployment allows any tenant. */
  ceiling: number;
  /**
   * Prepaid characters of the month: the balance plus the characters that the current window has already taken. Without
   * the latter, the month's limit would shrink as they are spent. Null if prepaid characters do not count: billing is
   * off, or there is no current subscription.
   */
  topUp: number | null;
  /** Characters recorded in the current window. */
  windowUsed: number;
  /** Characters recorded in the calendar month, under any plan. */
  monthUsed: number;
  /** Characters reserved by work in progress and not recorded yet. */
  inFlight: number;
}

/** The offers to the tenant. They determine what the rejection message recommends. */
export interface Remedies {
  /** Whether the subscription is current and the payment pages are open. */
  canChangePlan: boolean;
  /** A top-up Price is configured. */
  topUpSold: boolean;
}

/** The month's limit: the characters of the plan, plus the prepaid characters that fit below the ceiling. */
export function effectiveLimit({ monthlyLimit, ceiling, topUp }: AllowanceFigures): number {
  return monthlyLimit + Math.min(Math.max(topUp ?? 0, 0), Math.max(0, ceiling - monthlyLimit));
}

/** The remaining characters of the window or of the calendar month, whichever is less; below 0 if more was used. */
export function remainingAllowance(figures: AllowanceFigures): number {
  const { windowUsed, monthUsed, inFlight, ceiling } = figures;
  return Math.min(effectiveLimit(figures) - windowUsed, ceiling - monthUsed) - inFlight;
}

/**
 * Decides whether work of `chars` characters may start. Returns null if it may, else the message of the response.
 * @param needed characters of the allowance that must remain. Below the month's ceiling, all `chars` must remain.
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
