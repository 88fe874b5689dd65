// Draws notes as discs with a rim, each as one point: what a graph of thousands is drawn with, for it costs a tenth. Knows no note.
import { NodeProgram, type ProgramInfo } from 'sigma/rendering';
import type { NodeDisplayData, RenderParams } from 'sigma/types';
import { floatColor } from 'sigma/utils';
import type { Disc } from './disc-program.ts';

const UNIFORMS = ['u_sizeRatio', 'u_pixelRatio', 'u_matrix'] as const;

const VERTEX = `
attribute vec4 a_id;
attribute vec4 a_fill;
attribute vec4 a_rim;
attribute vec2 a_position;
attribute float a_size;
attribute float a_rimWidth;
uniform mat3 u_matrix;
uniform float u_sizeRatio;
uniform float u_pixelRatio;
varying vec4 v_fill;
varying vec4 v_rim;
varying float v_radius;
varying float v_rimWidth;
void main() {
  v_radius = a_size / u_sizeRatio * u_pixelRatio;
  v_rimWidth = min(a_rimWidth * u_pixelRatio, v_radius * 0.5);
  gl_PointSize = v_radius * 2.0 + 1.0;
  gl_Position = vec4((u_matrix * vec3(a_position, 1.0)).xy, 0.0, 1.0);
  #ifdef PICKING_MODE
  v_fill = a_id;
  #else
  v_fill = a_fill;
  #endif
  v_fill.a *= 255.0 / 254.0;
  v_rim = a_rim;
  v_rim.a *= 255.0 / 254.0;
}`;

const FRAGMENT = `
precision highp float;
varying vec4 v_fill;
varying vec4 v_rim;
varying float v_radius;
varying float v_rimWidth;
void main(void) {
  float distance = length(gl_PointCoord - vec2(0.5)) * (v_radius * 2.0 + 1.0);
  #ifdef PICKING_MODE
  if (distance > v_radius) discard;
  gl_FragColor = v_fill;
  #else
  float inside = clamp(v_radius + 0.5 - distance, 0.0, 1.0);
  float filled = clamp(v_radius - v_rimWidth + 0.5 - distance, 0.0, 1.0);
  gl_FragColor = mix(v_rim, v_fill, filled) * inside;
  #endif
}`;

export class DotProgram extends NodeProgram<(typeof UNIFORMS)[number]> {
  override getDefinition() {
    const { FLOAT, UNSIGNED_BYTE, POINTS } = WebGLRenderingContext;
    const colour = (name: string) => ({ name, size: 4, type: UNSIGNED_BYTE, normalized: true });
    const number = (name: string, size = 1) => ({ name, size, type: FLOAT });
    return {
      VERTICES: 1,
      VERTEX_SHADER_SOURCE: VERTEX,
      FRAGMENT_SHADER_SOURCE: FRAGMENT,
      METHOD: POINTS,
      UNIFORMS,
      ATTRIBUTES: [
        number('a_position', 2),
        number('a_size'),
        colour('a_fill'),
        colour('a_rim'),
        number('a_rimWidth'),
        colour('a_id'),
      ],
    };
  }

  override processVisibleItem(id: number, offset: number, data: NodeDisplayData): void {
    const { x, y, size, color, rim, rimWidth } = data as Disc;
    this.array.set([x, y, size, floatColor(color), floatColor(rim), rimWidth, id], offset);
  }

  /** What moves is not pointed at: which note lies where is drawn again when it stands. */
  override render(params: RenderParams): void {
    const { pickProgram } = this;
    if (this.isMoving()) this.pickProgram = null;
    super.render(params);
    this.pickProgram = pickProgram;
  }

  isMoving(): boolean {
    const { isMoving, draggedEvents } = this.renderer.getMouseCaptor();
    const moves = isMoving || draggedEvents > 0 || this.renderer.getCamera().isAnimated();
    return moves && this.renderer.getSetting('hideEdgesOnMove');
  }

  override setUniforms({ pixelRatio, sizeRatio, matrix }: RenderParams, { gl, uniformLocations }: ProgramInfo): void {
    gl.uniform1f(uniformLocations.u_pixelRatio ?? null, pixelRatio);
    gl.uniform1f(uniformLocations.u_sizeRatio ?? null, sizeRatio);
    gl.uniformMatrix3fv(uniformLocations.u_matrix ?? null, false, matrix);
  }
}
