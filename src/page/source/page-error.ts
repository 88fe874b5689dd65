// The error type of the page.

export interface PageFault {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

/** Carries the message and hint of a vault error to the page. */
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
  return { code: 'INTERNAL', message, hint: 'Reload the page. If the error stays, please report it.' };
}
