// A failure as the page shows it.

export interface PageFault {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

/** Carries the words of the vault's own errors to whoever shows them. */
export class PageError extends Error {
  readonly fault: PageFault;

  constructor(fault: PageFault) {
    super(`${fault.code}: ${fault.message}`);
    this.fault = fault;
  }
}

export function faultOf(thrown: unknown): PageFault {
  if (thrown instanceof PageError) return thrown.fault;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return { code: 'INTERNAL', message, hint: 'Load the page again; if it stays, tell those who make vaultgraph.' };
}
