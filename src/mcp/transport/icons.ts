// The server's own mark, a small graph, as clients show it beside its name.

const SVG = [
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64">',
  '<rect width="64" height="64" rx="14" fill="#1f2348"/>',
  '<path d="M19 21L32 40M46 17L32 40M32 40L50 48M19 21L46 17" stroke="#8b93d6" stroke-width="3"/>',
  '<g fill="#c9ceff"><circle cx="19" cy="21" r="6.5"/><circle cx="46" cy="17" r="5"/>',
  '<circle cx="50" cy="48" r="5"/></g><circle cx="32" cy="40" r="8.5" fill="#ffc457"/></svg>',
].join('');

/** The same in 64 by 64 pixels, for clients that show no vectors. */
const PNG_BASE64 = [
  'iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAMAAACdt4HsAAAAb1BMVEUAAAAoKFAoKFAoKFAoKFAoKFBQUHigoMjIyP+MjLR4eKDIyPA8PGRQUI',
  'xQZIx4eLRkeKCMjNxkZKCMjMi0yPCgoNw8UHhkZIy0tPB4jMg8PFB4ZFCMeFCgoLTctGT/yFDctHi0oKC0oIxQUFDIoFC0FzuoAAAAJXRSTlMA',
  'M2aZzP//////////////////////////////////////////AKesNQAAAc9JREFUeNq9l9lygzAMRcNisxkbQUPZUtIm//+NHXZsKNhopvctiX',
  'QiCWFLt9sky3GJplzHuqmytb1Hhi25W4buPWIVhU0uyUb6zwSLXNaQhXsd4KISmJJwMQAXVYGhCg4O4OAy6HIwMKae73tU+dIAEPi9gjMADUO6',
  '+//+KHoICKPOJgq3AG8CeEeAYLKSA2UxF/6sA0C4WA0xMMoTAb20ANFiFfFUZLDSh0YK1F/pvvhmIuX5p0YRwzWg6FxFwikbfy3OH6MEyGImWX',
  'K4F2eNJKWgWgJAvNMefxdRMRQAgpwCNo9xVg4A7BywNFKh2JUAKdEAjK3sF4o5B8iIFmB4mWIlYAYAVBfQKwEoNSp4cB5kAMkS1F8VPAB0Vc9X',
  'NE4MAV0SGanqpqmrVM5H90gr4fHV9no+lmAMAOy7nfVDLgDqdqXaHPBqJb2MAW8Z8DYFVK2iyhBQq4DaENCogOa/AegUNkUMKO4xPgEyvnfF6z',
  'bSo79h0u0Vr93KtASA+/bMPxgwaqWCudi7H48mlNdYh/f0IrCdG/p4xBkOlOWzMUBjSjEDUKMi6k1qpoOm2kguftRFD9vocR+/cKBXHvzShV77',
  '8IsnfvXFL9+I9f8XnPFxlFMqOc8AAAAASUVORK5CYII=',
].join('');

export interface Icon {
  readonly src: string;
  readonly mimeType: string;
  readonly sizes: string[];
}

/** Within the handshake, so that showing them asks nobody for anything. */
export const ICONS: Icon[] = [
  {
    src: `data:image/svg+xml;base64,${Buffer.from(SVG).toString('base64')}`,
    mimeType: 'image/svg+xml',
    sizes: ['any'],
  },
  { src: `data:image/png;base64,${PNG_BASE64}`, mimeType: 'image/png', sizes: ['64x64'] },
];
