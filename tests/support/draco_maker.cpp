#include "draco_maker.h"

#include <cstring>

#include <draco/compression/encode.h>
#include <draco/mesh/mesh.h>

static void add_attribute(draco::Mesh *mesh, draco::GeometryAttribute::Type type,
                          draco::DataType value, int8_t components, size_t value_size,
                          const void *values)
{
    const size_t stride = static_cast<size_t>(components) * value_size;
    draco::GeometryAttribute described;
    described.Init(type, nullptr, components, value, false, static_cast<int64_t>(stride), 0);
    const int id = mesh->AddAttribute(described, true, mesh->num_points());
    for (uint32_t i = 0; i < mesh->num_points(); i++) {
        mesh->attribute(id)->SetAttributeValue(draco::AttributeValueIndex(i),
                                               static_cast<const char *>(values) + i * stride);
    }
}

extern "C" size_t draco_make(const draco_source *source, uint8_t *stream, size_t capacity)
{
    draco::Mesh mesh;
    mesh.set_num_points(source->vertex_count);
    mesh.SetNumFaces(source->triangle_count);
    for (uint32_t i = 0; i < source->triangle_count; i++) {
        draco::Mesh::Face face;
        for (size_t k = 0; k < 3; k++) {
            face[k] = source->triangles[3 * i + k];
        }
        mesh.SetFace(draco::FaceIndex(i), face);
    }
    add_attribute(&mesh, draco::GeometryAttribute::POSITION, draco::DT_FLOAT32, 3, sizeof(float),
                  source->positions);
    if (source->joints != nullptr) {
        const draco::DataType type = source->joint_type == 0
                                         ? draco::DT_UINT8
                                         : static_cast<draco::DataType>(source->joint_type);
        add_attribute(&mesh, draco::GeometryAttribute::GENERIC, type, 4,
                      static_cast<size_t>(draco::DataTypeLength(type)), source->joints);
    }
    if (source->weights != nullptr) {
        add_attribute(&mesh, draco::GeometryAttribute::GENERIC, draco::DT_FLOAT32, 4, sizeof(float),
                      source->weights);
    }
    draco::Encoder encoder;
    encoder.SetEncodingMethod(source->sequential ? draco::MESH_SEQUENTIAL_ENCODING
                                                 : draco::MESH_EDGEBREAKER_ENCODING);
    draco::EncoderBuffer buffer;
    if (!encoder.EncodeMeshToBuffer(mesh, &buffer).ok() || buffer.size() > capacity) {
        return 0;
    }
    std::memcpy(stream, buffer.data(), buffer.size());
    return buffer.size();
}
