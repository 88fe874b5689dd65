// Names the file with the checksum of a closed index.

export const sealPath = (file: string): string => `${file}.seal`;
