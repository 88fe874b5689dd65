// Draws notes as rimmed discs in WebGL: a background-coloured rim separates neighbours, a coloured rim makes a ring.
import { NodeProgram, type ProgramInfo } from 'sigma/rendering';
import type { NodeDisplayData, RenderParams } from 'sigma/types';
import { DISC_COLOURS, DISC_INPUTS, discAttributes, discData, number, setCamera } from './disc-data.ts';

const UNIFORMS = ['u_sizeRatio', 'u_correctionRatio', 'u_matrix'] as const;

const VERTEX = `${DISC_INPUTS}
attribute float a_angle;
uniform float u_correctionRatio;
varying vec2 v_away;
void main() {
  float reach = a_size * u_correctionRatio / u_sizeRatio * 4.0;
  v_away = reach * vec2(cos(a_angle), sin(a_angle));
  v_radius = reach / 2.0;
  v_rimWidth = min(a_rimWidth * 2.0 * u_correctionRatio, v_radius * 0.5);
  gl_Position = vec4((u_matrix * vec3(a_position + v_away, 1.0)).xy, 0.0, 1.0);
${DISC_COLOURS}
}`;

const FRAGMENT = `
precision highp float;
varying vec4 v_fill;
varying vec4 v_rim;
varying vec2 v_away;
varying float v_radius;
varying float v_rimWidth;
uniform float u_correctionRatio;
void main(void) {
  float soft = u_correctionRatio * 2.0;
  float distance = length(v_away);
  #ifdef PICKING_MODE
  if (distance > v_radius) discard;
  gl_FragColor = v_fill;
  #else
  float inside = 1.0 - smoothstep(v_radius - soft, v_radius, distance);
  float filled = 1.0 - smoothstep(v_radius - v_rimWidth - soft, v_radius - v_rimWidth, distance);
  gl_FragColor = mix(v_rim, v_fill, filled) * inside;
  #endif
}`;

export class DiscProgram extends NodeProgram<(typeof UNIFORMS)[number]> {
  override getDefinition() {
    return {
      VERTICES: 3,
      VERTEX_SHADER_SOURCE: VERTEX,
      FRAGMENT_SHADER_SOURCE: FRAGMENT,
      METHOD: WebGLRenderingContext.TRIANGLES,
      UNIFORMS,
      ATTRIBUTES: discAttributes(),
      CONSTANT_ATTRIBUTES: [number('a_angle')],
      CONSTANT_DATA: [[0], [(2 * Math.PI) / 3], [(4 * Math.PI) / 3]],
    };
  }

  override processVisibleItem(id: number, offset: number, data: NodeDisplayData): void {
    this.array.set(discData(id, data), offset);
  }

  override setUniforms(params: RenderParams, program: ProgramInfo): void {
    setCamera(params, program);
    program.gl.uniform1f(program.uniformLocations.u_correctionRatio ?? null, params.correctionRatio);
  }
}
