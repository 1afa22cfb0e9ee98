/*
 * Draco by its own library. Counts in a stream are promises of a few bytes, and the library
 * believes them when it asks for memory; so its decoders are derived from here, to look at the
 * counts of triangles and vertices before these are decoded, and at the attributes before their
 * values are.
 */
#include "draco.h"

#include <new>

#include <draco/compression/decode.h>
#include <draco/compression/mesh/mesh_edgebreaker_decoder.h>
#include <draco/compression/mesh/mesh_sequential_decoder.h>
#include <draco/core/varint_decoding.h>

namespace
{

constexpr uint16_t version = DRACO_BITSTREAM_VERSION(2, 2);

/* What decoding takes at most, in bytes, rounded up (from the arrays of libdraco 1.5): corner
   tables and faces for each triangle, again for each attribute with seams, and maps for each
   vertex. */
constexpr uint64_t triangle_cost = 160, seam_cost = 48, vertex_cost = 64;
/* An attribute's values stand there whole, as integers, and while they are predicted. */
constexpr uint64_t value_copies = 4;

enum class Kind { edgebreaker, sequential };

/* The numbers that every stream of a kind begins with, behind its header. */
bool read_cost(draco::DecoderBuffer ahead, Kind kind, uint64_t *cost)
{
    uint32_t first = 0, second = 0;
    uint8_t seams = 0;
    if (!draco::DecodeVarint(&first, &ahead) || !draco::DecodeVarint(&second, &ahead) ||
        (kind == Kind::edgebreaker && !ahead.Decode(&seams))) {
        return false;
    }
    const uint64_t vertices = kind == Kind::edgebreaker ? first : second;
    const uint64_t triangles = kind == Kind::edgebreaker ? second : first;
    *cost = triangles * (triangle_cost + seam_cost * seams) + vertices * vertex_cost;
    return true;
}

template <typename Base, Kind kind> class Bounded : public Base
{
  public:
    Bounded(uint64_t limit, uint64_t vertex_size) : limit_(limit), vertex_size_(vertex_size)
    {
    }
    bool is_too_large() const
    {
        return too_large_;
    }

  protected:
    bool DecodeConnectivity() override
    {
        return read_cost(*this->buffer(), kind, &cost_) && fits() && Base::DecodeConnectivity();
    }

    bool DecodeAllAttributes() override
    {
        const draco::PointCloud &cloud = *this->point_cloud();
        uint64_t bytes = 0;
        for (int32_t i = 0; i < cloud.num_attributes(); i++) {
            bytes +=
                4 * sizeof(uint32_t) + static_cast<uint64_t>(cloud.attribute(i)->byte_stride());
        }
        /* The factors are below 2^34 and 2^32. */
        cost_ += (bytes * value_copies + vertex_size_) * cloud.num_points();
        return bytes < UINT64_C(1) << 28 && fits() && Base::DecodeAllAttributes();
    }

  private:
    bool fits()
    {
        too_large_ = cost_ > limit_;
        return !too_large_;
    }

    uint64_t limit_, vertex_size_, cost_ = 0;
    bool too_large_ = false;
};

template <typename Decoder>
pli_draco_result decode_by(draco::DecoderBuffer *buffer, const pli_draco_mesh &to,
                           draco::Mesh *mesh)
{
    uint64_t vertex_size = 0;
    for (size_t i = 0; i < to.field_count; i++) {
        vertex_size += to.fields[i].components * sizeof(float);
    }
    Decoder decoder(to.limit, vertex_size);
    const draco::DecoderOptions options;
    if (decoder.Decode(options, buffer, mesh).ok()) {
        return PLI_DRACO_DONE;
    }
    return decoder.is_too_large() ? PLI_DRACO_TOO_LARGE : PLI_DRACO_DAMAGED;
}

pli_draco_result decode_stream(const uint8_t *bytes, size_t size, const pli_draco_mesh &to,
                               draco::Mesh *mesh)
{
    draco::DecoderBuffer buffer;
    buffer.Init(reinterpret_cast<const char *>(bytes), size);
    draco::DecoderBuffer ahead(buffer);
    draco::DracoHeader header;
    if (!draco::PointCloudDecoder::DecodeHeader(&ahead, &header).ok() ||
        header.encoder_type != draco::TRIANGULAR_MESH) {
        return PLI_DRACO_DAMAGED;
    }
    if (DRACO_BITSTREAM_VERSION(header.version_major, header.version_minor) != version) {
        return PLI_DRACO_VERSION;
    }
    if (header.encoder_method == draco::MESH_EDGEBREAKER_ENCODING) {
        return decode_by<Bounded<draco::MeshEdgebreakerDecoder, Kind::edgebreaker>>(&buffer, to,
                                                                                    mesh);
    }
    return header.encoder_method == draco::MESH_SEQUENTIAL_ENCODING
               ? decode_by<Bounded<draco::MeshSequentialDecoder, Kind::sequential>>(&buffer, to,
                                                                                    mesh)
               : PLI_DRACO_DAMAGED;
}

template <typename Value>
bool copy_values(const draco::PointAttribute &attribute, uint32_t points,
                 const pli_draco_field &field)
{
    Value *to = static_cast<Value *>(field.values);
    for (uint32_t i = 0; i < points; i++, to += field.components) {
        const draco::AttributeValueIndex place = attribute.mapped_index(draco::PointIndex(i));
        if (place.value() >= attribute.size() ||
            !attribute.ConvertValue<Value>(place, static_cast<int8_t>(field.components), to)) {
            return false;
        }
    }
    return true;
}

/* Types that glTF has, and signed ones of 32 bits, which encoders write for small whole numbers.
   The library reads the bytes of a bool without a check, and converts doubles beyond float. */
bool is_known_type(draco::DataType type)
{
    return (type >= draco::DT_INT8 && type <= draco::DT_UINT32) || type == draco::DT_FLOAT32;
}

bool copy_field(const draco::Mesh &mesh, const pli_draco_field &field)
{
    const draco::PointAttribute *attribute = mesh.GetAttributeByUniqueId(field.id);
    if (attribute == nullptr || !is_known_type(attribute->data_type()) ||
        static_cast<uint32_t>(attribute->num_components()) != field.components) {
        return false;
    }
    switch (field.type) {
    case 5120:
        return copy_values<int8_t>(*attribute, mesh.num_points(), field);
    case 5121:
        return copy_values<uint8_t>(*attribute, mesh.num_points(), field);
    case 5122:
        return copy_values<int16_t>(*attribute, mesh.num_points(), field);
    case 5123:
        return copy_values<uint16_t>(*attribute, mesh.num_points(), field);
    case 5125:
        return copy_values<uint32_t>(*attribute, mesh.num_points(), field);
    case 5126:
        return copy_values<float>(*attribute, mesh.num_points(), field);
    default:
        return false;
    }
}

pli_draco_result copy_mesh(const draco::Mesh &from, pli_draco_mesh *to)
{
    to->found_vertices = from.num_points();
    to->found_triangles = from.num_faces();
    if (to->found_vertices < to->vertex_count || to->found_triangles != to->triangle_count) {
        return PLI_DRACO_COUNTS;
    }
    if (!to->reserve(to, to->user)) {
        return PLI_DRACO_NO_ROOM;
    }
    for (size_t i = 0; i < to->field_count; i++) {
        if (!copy_field(from, to->fields[i])) {
            to->bad_field = i;
            return PLI_DRACO_FIELD;
        }
    }
    for (uint32_t i = 0; i < from.num_faces(); i++) {
        for (uint32_t k = 0; k < 3; k++) {
            to->triangles[3 * static_cast<size_t>(i) + k] =
                from.face(draco::FaceIndex(i))[k].value();
        }
    }
    return PLI_DRACO_DONE;
}

} // namespace

extern "C" pli_draco_result pli_draco_decode(const uint8_t *bytes, size_t size,
                                             pli_draco_mesh *mesh)
{
    try {
        draco::Mesh decoded;
        const pli_draco_result result = decode_stream(bytes, size, *mesh, &decoded);
        return result == PLI_DRACO_DONE ? copy_mesh(decoded, mesh) : result;
    } catch (const std::bad_alloc &) {
        return PLI_DRACO_NO_MEMORY;
    } catch (...) {
        return PLI_DRACO_DAMAGED;
    }
}
